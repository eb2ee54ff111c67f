package dev.repartee.cli.agents;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.cli.options.Source;
import dev.repartee.cli.terminal.JsonText;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.json.Json;
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
    byte[] text = Source.Value.of(input, "--input", stdio.in()).text();
    return JsonText.orString(new String(text, UTF_8));
  }
}
