package dev.repartee.cli.agents;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.cli.options.Source;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The input of a plan. */
final class InputOption {
  @Option(names = "--input", paramLabel = "TEXT", description = """
          The input of the plan: JSON, or any other text, which becomes a JSON string. @FILE reads \
          it from a file, and - from standard input. Default: {}.""")
  @Nullable String input;

  /** Reads the input. */
  Json value(Stdio stdio) {
    if (input == null) {
      return Json.EMPTY_OBJECT;
    }
    boolean named = input.equals("-") || input.startsWith("@");
    String text = named ? read(input, stdio) : input;
    try {
      return Json.parse(text);
    } catch (JsonException e) {
      return Json.of(text);
    }
  }

  /** Reads {@code -} or {@code @FILE}, up to the size of a message. */
  private static String read(String word, Stdio stdio) {
    Source source = new Source();
    source.file = word.equals("-") ? word : word.substring(1);
    try (InputStream in = source.open(stdio.in())) {
      return new String(source.whole(in), UTF_8);
    } catch (IOException e) {
      throw source.unreadable(e);
    }
  }
}
