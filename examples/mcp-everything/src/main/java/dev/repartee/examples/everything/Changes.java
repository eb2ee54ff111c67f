package dev.repartee.examples.everything;

import dev.repartee.Param;
import dev.repartee.mcp.Content;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.Prompt;
import dev.repartee.mcp.Resource;
import dev.repartee.mcp.Tool;
import dev.repartee.mcp.ToolException;
import dev.repartee.mcp.ToolResult;
import java.util.concurrent.atomic.AtomicInteger;

/** Tools that change what is served, which clients are told that want to know. */
final class Changes {
  private static final String WATCHED = "test://watched-resource";

  /** Each note stays for as long as the server runs, so there cannot be any number. */
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
    server.add(
        Resource.of(WATCHED, "watched-resource", "A text that changes", "text/plain"),
        call -> "Version " + changes.version);
    server.add(Tool.named("change_watched_resource")
        .description("Changes what " + WATCHED + " holds")
        .handle((call, none) -> changes.changeWatched()));
    server.add(Tool.named("write_note")
        .description("Adds a resource")
        .scopes(Guard.NOTES)
        .handle(Note.class, (call, note) -> changes.write(note)));
    server.add(Tool.named("test_trigger_tool_change")
        .description("Adds the tool 'now_and_then', or removes it")
        .handle((call, none) -> changes.toggleTool()));
    server.add(Tool.named("test_trigger_prompt_change")
        .description("Adds the prompt 'now_and_then', or removes it")
        .handle((call, none) -> changes.togglePrompt()));
  }

  private String changeWatched() {
    int now = version.incrementAndGet();
    server.updated(WATCHED);
    return "It is version " + now + " now";
  }

  record Note(
      @Param(description = "What to write down, 1000 characters at most")
      String text) {}

  private ToolResult write(Note note) {
    if (note.text().length() > MAX_LENGTH) {
      throw new ToolException("A note has " + MAX_LENGTH + " characters at most");
    }
    int number = notes.getAndUpdate(count -> Math.min(count + 1, MAX_NOTES)) + 1;
    if (number > MAX_NOTES) {
      throw new ToolException("There is room for " + MAX_NOTES + " notes, and they are all taken");
    }
    Resource resource = Resource.of(
        "test://notes/" + number, "note-" + number, "A note that was written", "text/plain");
    server.add(resource, call -> note.text());
    return ToolResult.of(Content.text("Noted:"), Content.link(resource));
  }

  private String toggleTool() {
    boolean removed = server.removeTool("now_and_then");
    if (!removed) {
      server.add(Tool.named("now_and_then")
          .description("Is there now and then")
          .handle((call, none) -> "Now"));
    }
    return removed ? "Removed" : "Added";
  }

  private String togglePrompt() {
    boolean removed = server.removePrompt("now_and_then");
    if (!removed) {
      server.add(Prompt.named("now_and_then")
          .description("Is there now and then")
          .handle((call, arguments) -> "Now"));
    }
    return removed ? "Removed" : "Added";
  }
}
