package dev.repartee.cli.mcp;

import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Table;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.Resource;
import dev.repartee.mcp.ResourceTemplate;
import dev.repartee.mcp.client.McpClient;
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
  int run(McpClient client) {
    List<Resource> resources = listed(client::resources);
    List<ResourceTemplate> templates = listed(client::templates);
    if (json) {
      stdio.result(Json.of(Map.of(
          "resources", resources.stream().map(McpResourcesCommand::json).toList(),
          "resourceTemplates", templates.stream().map(McpResourcesCommand::json).toList())));
      return Exit.OK;
    }
    Table table = new Table();
    for (Resource resource : resources) {
      table.row(
          resource.uri(),
          resource.mimeType(),
          shown(resource.title(), resource.name(), resource.description()));
    }
    for (ResourceTemplate template : templates) {
      table.row(
          template.uriTemplate(),
          template.mimeType(),
          shown(template.title(), template.name(), template.description()));
    }
    if (table.isEmpty()) {
      stdio.note("no resources");
    } else {
      stdio.text(table.text(stdio.width()));
    }
    return Exit.OK;
  }

  private static String shown(@Nullable String title, String name, @Nullable String description) {
    return (title == null ? name : title) + (description == null ? "" : ": " + description);
  }

  private static Json json(Resource resource) {
    return new JsonObjectBuilder()
        .put("uri", resource.uri())
        .put("name", resource.name())
        .put("title", resource.title())
        .put("description", resource.description())
        .put("mimeType", resource.mimeType())
        .put("size", resource.size())
        .build();
  }

  private static Json json(ResourceTemplate template) {
    return new JsonObjectBuilder()
        .put("uriTemplate", template.uriTemplate())
        .put("name", template.name())
        .put("title", template.title())
        .put("description", template.description())
        .put("mimeType", template.mimeType())
        .build();
  }
}
