package dev.repartee.mcp;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.types.Revision;
import org.jspecify.annotations.Nullable;

/** Describes the capabilities of a server with its current tools, prompts and resources. */
final class ServerCapabilities {
  private ServerCapabilities() {}

  /** Returns the server capabilities for clients of a revision. */
  static Json of(McpServer server, Revision revision) {
    boolean resourceful = !server.resources().isEmpty() || !server.templates().isEmpty();
    boolean completes = server.prompts().all().stream().anyMatch(Prompt::isCompleted)
        || server.templates().all().stream().anyMatch(t -> !t.completers.isEmpty());
    Json listed = new JsonObjectBuilder().flag("listChanged", true).build();
    Json watched = new JsonObjectBuilder()
        .flag("subscribe", true)
        .flag("listChanged", true)
        .build();
    return new JsonObjectBuilder()
        .put("logging", Json.EMPTY_OBJECT)
        .put("tools", listed)
        .put("prompts", server.prompts().isEmpty() ? null : listed)
        .put("resources", resourceful ? watched : null)
        .put(
            "completions",
            completes && revision.isAtLeast(Revision.V2025_03_26) ? Json.EMPTY_OBJECT : null)
        .put("extensions", revision.isStateless() ? extensions(server) : null)
        .build();
  }

  /**
   * Returns the declared extensions, and tasks if a tool supports them; null if both are absent.
   */
  private static @Nullable Json extensions(McpServer server) {
    JsonObjectBuilder declared = new JsonObjectBuilder();
    server.settings().extensions().forEach(declared::put);
    boolean tasked =
        server.tools().all().stream().anyMatch(tool -> tool.tasks() != Tool.TaskSupport.FORBIDDEN);
    if (tasked && !declared.has(Tasks.EXTENSION)) {
      declared.put(Tasks.EXTENSION, Json.EMPTY_OBJECT);
    }
    Json json = declared.build();
    return json.equals(Json.EMPTY_OBJECT) ? null : json;
  }
}
