package dev.repartee.examples.everything;

import dev.repartee.Param;
import dev.repartee.mcp.Catalog;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.Prompt;
import dev.repartee.mcp.ServedResource;
import dev.repartee.mcp.Tool;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Resource;
import dev.repartee.mcp.types.ToolException;
import dev.repartee.mcp.types.ToolResult;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Tools that change the tools, prompts and resources of the server. Clients that subscribed are
 * notified.
 */
final class Changes {
  private static final String WATCHED = "test://watched-resource";

  /** The most notes. Each one is kept as long as the server runs. */
  private static final int MAX_NOTES = 100;

  private static final int MAX_LENGTH = 1_000;

  private final McpServer server;
  private final AtomicInteger version = new AtomicInteger(1);
  private final AtomicInteger notes = new AtomicInteger();

  private Changes(McpServer server) {
    this.server = server;
  }

  static void addTo(McpServer server) {
    Changes changes = new Changes(server);
    Resource watched =
        Resource.of(WATCHED, "watched-resource", "A text that changes", "text/plain");
    server.resources().add(new ServedResource(watched, call -> "Version " + changes.version));
    Catalog<Tool> tools = server.tools();
    tools.add(Tool.named("change_watched_resource")
        .description("Changes the content of " + WATCHED)
        .handle((call, none) -> changes.changeWatched()));
    tools.add(Tool.named("write_note")
        .description("Adds a resource")
        .scopes(Guard.NOTES)
        .handle(Note.class, (call, note) -> changes.write(note)));
    tools.add(Tool.named("test_trigger_tool_change")
        .description("Adds the tool 'now_and_then', or removes it")
        .handle((call, none) -> changes.toggleTool()));
    tools.add(Tool.named("test_trigger_prompt_change")
        .description("Adds the prompt 'now_and_then', or removes it")
        .handle((call, none) -> changes.togglePrompt()));
  }

  private String changeWatched() {
    int now = version.incrementAndGet();
    server.updated(WATCHED);
    return "It is version " + now + " now";
  }

  record Note(
      @Param(description = "The text of the note, at most 1000 characters")
      String text) {}

  private ToolResult write(Note note) {
    if (note.text().length() > MAX_LENGTH) {
      throw new ToolException("A note has at most " + MAX_LENGTH + " characters");
    }
    int number = notes.getAndUpdate(count -> Math.min(count + 1, MAX_NOTES)) + 1;
    if (number > MAX_NOTES) {
      throw new ToolException("The server already keeps " + MAX_NOTES + " notes, its limit");
    }
    Resource resource = Resource.of(
        "test://notes/" + number, "note-" + number, "A note that was written", "text/plain");
    server.resources().add(new ServedResource(resource, call -> note.text()));
    return ToolResult.of(Content.text("Noted:"), Content.link(resource));
  }

  private String toggleTool() {
    Catalog<Tool> tools = server.tools();
    boolean removed = tools.remove("now_and_then");
    if (!removed) {
      tools.add(Tool.named("now_and_then")
          .description("Exists only after every other change")
          .handle((call, none) -> "Now"));
    }
    return removed ? "Removed" : "Added";
  }

  private String togglePrompt() {
    Catalog<Prompt> prompts = server.prompts();
    boolean removed = prompts.remove("now_and_then");
    if (!removed) {
      prompts.add(Prompt.named("now_and_then")
          .description("Exists only after every other change")
          .handle((call, arguments) -> "Now"));
    }
    return removed ? "Removed" : "Added";
  }
}
