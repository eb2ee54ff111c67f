package dev.repartee.cli.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Visible;
import dev.repartee.json.Json;
import dev.repartee.json.JsonLayout;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.client.Change;
import dev.repartee.mcp.client.ChangeFilter;
import dev.repartee.mcp.client.LogMessage;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.client.Subscription;
import dev.repartee.mcp.types.LogLevel;
import dev.repartee.transport.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code repartee mcp listen}: prints the notifications of a server until it is interrupted. */
@Command(description = """
        Prints the notifications of an MCP server, one a line, until Ctrl-C: changes of its \
        lists, changes of the resources of --subscribe, and log messages. A lost connection is \
        opened again. --timeout limits only connecting.""", footer = """
          repartee mcp listen http://127.0.0.1:8080/mcp
          repartee mcp listen http://127.0.0.1:8080/mcp --subscribe notes://today --json

        Exit codes: as those of 'repartee mcp tools'; 4 also if the server ends the \
        subscription.""")
final class McpListenCommand extends McpClientCommand {
  @Option(names = "--subscribe", paramLabel = "RESOURCE", description = """
          Report changes of the contents of this resource; may be repeated.""")
  List<String> uris = new ArrayList<>();

  /** Notifications, as JSON with {@code --json}. */
  private final WaitingLines waiting = new WaitingLines();

  @Override
  void prepare() {
    if (level == null) {
      level = LogLevel.INFO;
    }
  }

  @Override
  boolean isEndless() {
    return true;
  }

  @Override
  void run(McpClient client) throws Exception {
    try (Subscription subscription = within(() -> listen(client))) {
      stdio.note("listening: " + described(subscription.honoured()));
      connection.endLimit(); // a notification may arrive at any time
      print(subscription);
    }
  }

  private Subscription listen(McpClient client) {
    if (client.capabilities().get("logging") != null) {
      setLevel(client);
    }
    ChangeFilter filter = ChangeFilter.LISTS;
    for (String resource : uris) {
      filter = filter.with(resource);
    }
    return client.listen(filter, this::changed);
  }

  private void print(Subscription subscription) throws InterruptedException {
    while (true) {
      String line = waiting.next();
      long lost = waiting.dropped();
      if (lost > 0) {
        stdio.say(lost + " notifications are left out, since standard output is too slow");
      }
      if (line == null) {
        if (!subscription.isOpen()) {
          throw Failure.lost(
              "the server at " + Endpoint.shown(uri) + " has ended the subscription");
        }
      } else if (!(json ? stdio.line(line.getBytes(UTF_8)) : stdio.text(line))) {
        return; // the reader of standard output has closed it
      }
    }
  }

  private static String described(ChangeFilter honoured) {
    List<String> kinds = new ArrayList<>();
    if (honoured.tools()) {
      kinds.add("tools");
    }
    if (honoured.prompts()) {
      kinds.add("prompts");
    }
    if (honoured.resources()) {
      kinds.add("resources");
    }
    honoured.uris().stream().sorted().forEach(kinds::add);
    return kinds.isEmpty() ? "the server reports no changes" : String.join(", ", kinds);
  }

  private void changed(Change change) {
    String uri = change.uri();
    if (json) {
      add(change.kind().name().toLowerCase(Locale.ROOT), "uri", uri == null ? null : Json.of(uri));
      return;
    }
    add(
        switch (change.kind()) {
          case TOOLS -> "changed: tools";
          case PROMPTS -> "changed: prompts";
          case RESOURCES -> "changed: resources";
          case RESOURCE -> "changed: " + uri;
          case TASK -> "task: " + uri;
          case RENEWED -> "connected again; changes may be missing";
        });
  }

  @Override
  void log(LogMessage message) {
    if (json) {
      Map<String, Object> members = Map.of("level", label(message.level()), "data", message.data());
      add("log", "message", Json.of(members));
    } else {
      add("log: " + sentence(message));
    }
  }

  private void add(String sentence) {
    waiting.add(Visible.sentence(sentence));
  }

  private void add(String kind, String member, @Nullable Json value) {
    Json line = new JsonObjectBuilder().put("kind", kind).put(member, value).build();
    waiting.add(JsonLayout.ONE_LINE.text(line));
  }
}
