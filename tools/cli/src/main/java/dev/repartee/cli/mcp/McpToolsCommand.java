package dev.repartee.cli.mcp;

import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Table;
import dev.repartee.cli.terminal.Visible;
import dev.repartee.json.Json;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.client.RemoteTool;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code repartee mcp tools}: lists the tools of a server, or describes one. */
@Command(description = """
        Lists the tools of an MCP server with their descriptions, or describes one tool with its \
        arguments. On a terminal a description is truncated to the width.""", footer = """
          repartee mcp tools http://127.0.0.1:8646/mcp
          repartee mcp tools http://127.0.0.1:8646/mcp hypot
          repartee mcp tools 'exec:npx -y @modelcontextprotocol/server-everything'
          repartee mcp tools http://127.0.0.1:8646/mcp --json
          repartee mcp tools https://example.com/mcp --login
          repartee mcp tools https://example.com/mcp --client-credentials --scope read

        Exit codes: 0 ok, 1 error response, 2 usage or no such tool, 3 cannot connect or log in, 4
        timeout or connection lost, 5 the server broke the protocol.""")
final class McpToolsCommand extends McpClientCommand {
  @Parameters(index = "1", arity = "0..1", paramLabel = "TOOL", description = """
          The name of the tool to describe.""")
  @Nullable String tool;

  @Override
  void run(McpClient client) {
    List<RemoteTool> tools = listed(client::tools);
    if (tool != null) {
      describe(tools);
    } else if (json) {
      stdio.result(Json.of(Map.of("tools", tools.stream().map(RemoteTool::json).toList())));
    } else {
      print(table(tools), "no tools");
    }
  }

  /** Returns the names and descriptions of tools. */
  static Table table(List<RemoteTool> tools) {
    Table table = new Table();
    for (RemoteTool tool : tools) {
      table.row(tool.name(), tool.description() == null ? tool.title() : tool.description());
    }
    return table;
  }

  private void describe(List<RemoteTool> tools) {
    RemoteTool found = tools.stream()
        .filter(one -> one.name().equals(tool))
        .findFirst()
        .orElseThrow(() -> Failure.usage("the server has no tool '" + tool + "'; it has "
            + String.join(", ", tools.stream().limit(50).map(RemoteTool::name).toList())));
    if (json) {
      stdio.result(found.json());
    } else {
      stdio.text(text(found));
    }
  }

  private static String text(RemoteTool tool) {
    StringBuilder text = new StringBuilder(Visible.sentence(tool.name()));
    if (tool.title() != null) {
      text.append(" (").append(Visible.sentence(tool.title())).append(')');
    }
    if (tool.description() != null) {
      text.append("\n\n").append(tool.description().strip());
    }
    if (tool.json().get("annotations") != null) {
      text.append("\n\nThe server says that this tool ").append(String.join(", ", hints(tool)));
    }
    section(text, "Arguments", SchemaText.of(tool.input()));
    Json output = tool.output();
    section(text, "Result", output == null ? "" : SchemaText.of(output));
    return text.toString();
  }

  private static List<String> hints(RemoteTool tool) {
    List<String> hints = new ArrayList<>();
    if (tool.isReadOnly()) {
      hints.add("changes nothing");
    } else {
      hints.add(tool.isDestructive() ? "may delete or overwrite things" : "only adds things");
      if (tool.isIdempotent()) {
        hints.add("has no further effect if repeated");
      }
    }
    hints.add(tool.isOpenWorld() ? "may reach other systems" : "reaches no other systems");
    return hints;
  }

  private static void section(StringBuilder text, String title, String lines) {
    if (!lines.isEmpty()) {
      text.append("\n\n").append(title).append(":\n").append(lines);
    }
  }
}
