package dev.repartee.cli.mcp;

import dev.repartee.cli.terminal.Exit;
import dev.repartee.json.Json;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.client.Progress;
import dev.repartee.mcp.client.ToolCall;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.ToolResult;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code repartee mcp call}: calls a tool and prints its result. */
@Command(description = """
        Calls a tool of an MCP server and prints its result: texts as they are, structured content \
        as JSON, images and sounds as a line each or with --output as files.

        Progress and log messages are printed to standard error. A form that the server elicits \
        is shown at the terminal, and the time limit is suspended meanwhile; without a terminal \
        it is declined.""", footer = """
          repartee mcp call http://127.0.0.1:8646/mcp hypot arg0=3 arg1=4
          repartee mcp call http://127.0.0.1:8646/mcp hypot --args '{"arg0":3,"arg1":4}'
          echo '{"arg0":3,"arg1":4}' | repartee mcp call http://127.0.0.1:8646/mcp \\
              hypot --args -
          repartee mcp call https://example.com/mcp search q=tea --header @token.txt
          repartee mcp call 'exec:node camera.js' photo --output pictures

        Exit codes: 0 result, 1 error response or failed tool (its text is on standard error),
        2 usage, 3 cannot connect, 4 timeout or connection lost, 5 the server broke the
        protocol.""")
@SuppressWarnings("deprecation") // deprecated by the specification, but still supported
final class McpCallCommand extends McpClientCommand {
  /** The time limit of the request. The time limit of the command is shorter. */
  private static final Duration LONGEST = Duration.ofHours(24);

  @Parameters(index = "1", paramLabel = "TOOL", description = "The name of the tool.")
  String tool = "";

  @Parameters(index = "2..*", paramLabel = "NAME=VALUE", description = """
          An argument: JSON if the value is JSON (-5, true, '[1,2]'), otherwise a string; '"5"' \
          is the string 5.""")
  List<String> words = new ArrayList<>();

  @Option(names = "--args", paramLabel = "JSON", description = """
          All arguments as one JSON object; @FILE reads it from a file, - from standard input.""")
  @Nullable String whole;

  @Mixin
  final ContentOutput content = new ContentOutput();

  private Json values = Json.EMPTY_OBJECT;

  @Override
  void prepare() {
    values = NamedArguments.json(words, whole, stdio.in());
  }

  @Override
  void run(McpClient client) {
    ToolCall call = client
        .request(tool)
        .arguments(values)
        .timeout(LONGEST)
        .onProgress(report -> stdio.progress().show(line(report)));
    if (level != null) {
      call.logLevel(level);
    }
    ToolResult result = call.call();
    if (json) {
      stdio.result(Json.of(result));
    } else if (result.isError()) {
      String text =
          String.join("\n", result.content().stream().map(content::text).toList());
      stdio.explain(text.isEmpty() ? "the tool failed and gave no reason" : text);
    } else {
      print(result);
    }
    exit = result.isError() ? Exit.ERROR_RESPONSE : Exit.OK;
  }

  private void print(ToolResult result) {
    Json structured = result.structured();
    List<Content> blocks = result.content();
    if (structured != null) {
      blocks = blocks.stream().filter(block -> !repeats(block, structured)).toList();
    }
    content.print(blocks, stdio);
    if (structured != null) {
      pretty(structured);
    }
  }

  /** Returns whether a text repeats the structured content, as the specification recommends. */
  private static boolean repeats(Content block, Json structured) {
    if (!(block instanceof Content.Text text)) {
      return false;
    }
    try {
      return Json.parse(text.text()).isSameValue(structured);
    } catch (dev.repartee.json.JsonException e) {
      return false;
    }
  }

  private static String line(Progress report) {
    String total = report.total() == null ? "" : " of " + number(report.total());
    String message = report.message() == null ? "" : " " + report.message();
    return "progress: " + number(report.progress()) + total + message;
  }

  private static @Nullable String number(@Nullable Double value) {
    return value == null || value.isNaN() || value.isInfinite()
        ? String.valueOf(value)
        : BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
  }
}
