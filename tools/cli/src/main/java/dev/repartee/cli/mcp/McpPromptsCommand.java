package dev.repartee.cli.mcp;

import dev.repartee.cli.terminal.Table;
import dev.repartee.json.Json;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.client.RemotePrompt;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code repartee mcp prompts}: lists the prompts of a server. */
@Command(description = """
        Lists the prompts of an MCP server: name, arguments (? marks an optional one) and \
        description. 'repartee mcp get' prints the messages of a prompt.""", footer = """
          repartee mcp prompts http://127.0.0.1:8080/mcp
          repartee mcp prompts 'exec:node reviews.js' --json\
        """)
final class McpPromptsCommand extends McpClientCommand {
  @Override
  void run(McpClient client) {
    List<RemotePrompt> prompts = listed(client::prompts);
    if (json) {
      stdio.result(
          Json.of(Map.of("prompts", prompts.stream().map(RemotePrompt::json).toList())));
      return;
    }
    Table table = new Table();
    for (RemotePrompt prompt : prompts) {
      table.row(
          prompt.name(),
          arguments(prompt),
          prompt.description() == null ? prompt.title() : prompt.description());
    }
    print(table, "no prompts");
  }

  private static String arguments(RemotePrompt prompt) {
    return String.join(
        " ",
        prompt.arguments().stream()
            .map(argument -> argument.name() + (argument.required() ? "" : "?"))
            .toList());
  }
}
