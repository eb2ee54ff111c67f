package dev.repartee.cli.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.types.PromptMessage;
import dev.repartee.mcp.types.PromptResult;
import dev.repartee.mcp.types.Revision;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code repartee mcp get}: prints the messages of a prompt. */
@Command(description = """
        Prints the messages of a prompt of an MCP server, each after a line with its \
        role.""", footer = """
          repartee mcp get http://127.0.0.1:8080/mcp review code='int x;'

        Exit codes: as those of 'repartee mcp tools'; 1 also if there is no such prompt.""")
final class McpGetCommand extends McpClientCommand {
  @Parameters(index = "1", paramLabel = "PROMPT", description = "The name of the prompt.")
  String prompt = "";

  @Parameters(index = "2..*", paramLabel = "NAME=VALUE", description = """
          An argument of the prompt, always a text.""")
  List<String> words = new ArrayList<>();

  @Mixin
  final ContentOutput content = new ContentOutput();

  private Map<String, String> arguments = Map.of();

  @Override
  void prepare() {
    arguments = NamedArguments.byName(words);
  }

  @Override
  void run(McpClient client) {
    PromptResult result = client.prompt(prompt, arguments);
    if (json) {
      stdio.result(result.members(Revision.V2026_07_28).build());
      return;
    }
    for (PromptMessage message : result.messages()) {
      String text = message.role().label() + ":\n" + content.text(message.content());
      if (!stdio.line(text.getBytes(UTF_8))) {
        break;
      }
    }
  }
}
