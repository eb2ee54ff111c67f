package dev.repartee.cli.mcp;

import dev.repartee.cli.terminal.Table;
import dev.repartee.json.Json;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.types.Resource;
import dev.repartee.mcp.types.ResourceTemplate;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** {@code repartee mcp resources}: lists the resources and resource templates of a server. */
@Command(description = """
        Lists the resources of an MCP server, then its resource templates: URI, media type and \
        description. 'repartee mcp read' prints the contents.""", footer = """
          repartee mcp resources http://127.0.0.1:8080/mcp
          repartee mcp resources 'exec:node notes.js' --json\
        """)
final class McpResourcesCommand extends McpClientCommand {
  @Override
  void run(McpClient client) {
    List<Resource> resources = listed(client::resources);
    List<ResourceTemplate> templates = listed(client::templates);
    if (json) {
      stdio.result(Json.of(Map.of(
          "resources", resources.stream().map(Resource::json).toList(),
          "resourceTemplates", templates.stream().map(ResourceTemplate::json).toList())));
      return;
    }
    Table table = new Table();
    for (Resource one : resources) {
      table.row(one.uri(), one.mimeType(), shown(one.title(), one.name(), one.description()));
    }
    for (ResourceTemplate one : templates) {
      table.row(
          one.uriTemplate(), one.mimeType(), shown(one.title(), one.name(), one.description()));
    }
    print(table, "no resources");
  }

  private static String shown(@Nullable String title, String name, @Nullable String description) {
    return (title == null ? name : title) + (description == null ? "" : ": " + description);
  }
}
