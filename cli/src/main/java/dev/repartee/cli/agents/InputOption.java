package dev.repartee.cli.agents;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The input of a plan. */
final class InputOption {
  @Option(
      names = "--input",
      paramLabel = "TEXT",
      description = {
        "The input of the plan: JSON, or any other text, which becomes a JSON string. @FILE reads it"
            + " from a file, and - from standard input. Default: {}."
      })
  @Nullable String input;

  /** Reads the input. */
  Json value(Stdio stdio) {
    if (input == null) {
      return Json.EMPTY_OBJECT;
    }
    String text = input;
    try {
      if (text.equals("-")) {
        text = new String(stdio.in().readAllBytes(), UTF_8);
      } else if (text.startsWith("@")) {
        text = Files.readString(Path.of(text.substring(1)));
      }
    } catch (IOException | InvalidPathException e) {
      throw Failure.usage("--input: '" + input + "' cannot be read: " + Failure.reason(e));
    }
    try {
      return Json.parse(text);
    } catch (JsonException e) {
      return Json.of(text);
    }
  }
}
