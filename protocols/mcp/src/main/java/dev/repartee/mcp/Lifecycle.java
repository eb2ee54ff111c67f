package dev.repartee.mcp;

import dev.repartee.Peer;
import dev.repartee.RpcException;
import dev.repartee.internal.Threads;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.http.StreamableHttpHandler;
import dev.repartee.mcp.types.ClientCapabilities;
import dev.repartee.mcp.types.Implementation;
import dev.repartee.mcp.types.LogLevel;
import dev.repartee.mcp.types.Revision;
import dev.repartee.mcp.wire.Errors;
import dev.repartee.mcp.wire.JsonObjectReader;
import dev.repartee.message.RpcError;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Serves the requests with which client and server introduce themselves, and {@code
 * subscriptions/listen}.
 */
final class Lifecycle {
  /** The maximum number of resources, and of tasks, in one subscription. */
  private static final int MAX_LISTENED = 1_000;

  /**
   * The maximum size of client info and capabilities in bytes. Limited because a session keeps
   * them.
   */
  static final int MAX_SAID = 64 << 10;

  /** The maximum length of a subscription id. Limited because each notification repeats it. */
  private static final int MAX_ID = 256;

  private final McpServer server;

  Lifecycle(McpServer server) {
    this.server = server;
  }

  /**
   * Serves the handshake (until 2025-11-25). An unknown revision is answered with the newest
   * revision that has a handshake.
   */
  JsonObjectBuilder initialize(McpCall call, JsonObjectReader params) {
    Revision asked = Revision.of(params.string("protocolVersion"));
    Revision revision = asked == null || asked.isStateless() ? Revision.LAST_WITH_HANDSHAKE : asked;
    JsonObjectReader client = params.object("clientInfo");
    params.object("capabilities");
    int said = length(params, "clientInfo") + length(params, "capabilities");
    if (said > MAX_SAID) {
      throw JsonObjectReader.invalid("clientInfo and capabilities: " + MAX_SAID + " bytes at most");
    }
    ServerSession session = Objects.requireNonNull(call.session());
    if (session.handshake() != null) {
      throw new RpcException(
          RpcError.INVALID_REQUEST, "Invalid Request: initialize was answered already");
    }
    ServerSession.Client handshake = new ServerSession.Client(
        revision,
        implementation(client),
        new ClientCapabilities(Objects.requireNonNull(params.get("capabilities"))));
    if (!session.begin(handshake, said)) {
      throw new RpcException(Errors.busy("sessionBytes", session.maxHeld()));
    }
    return new JsonObjectBuilder()
        .put("protocolVersion", revision.label())
        .put("capabilities", ServerCapabilities.of(server, revision))
        .put("serverInfo", server.settings().self().json())
        .put("instructions", server.settings().instructions());
  }

  /** Reads the name and version of a client. */
  static Implementation implementation(JsonObjectReader reader) {
    return new Implementation(
        reader.string("name"),
        reader.string("version"),
        reader.optionalString("title"),
        reader.optionalString("description"),
        reader.optionalString("websiteUrl"),
        List.of());
  }

  private static int length(JsonObjectReader params, String name) {
    Json value = params.get(name);
    return value == null ? 0 : value.length();
  }

  /** Describes the server (2026-07-28). */
  JsonObjectBuilder discover(McpCall call, JsonObjectReader params) {
    return new JsonObjectBuilder()
        .put("_meta", Protocol.identity(server.settings().self()))
        .put("supportedVersions", Protocol.STATELESS)
        .put("capabilities", ServerCapabilities.of(server, call.revision()))
        .put("instructions", server.settings().instructions());
  }

  /** Sets the log level of the session. */
  JsonObjectBuilder setLevel(McpCall call, JsonObjectReader params) {
    LogLevel level = LogLevel.of(params.string("level"));
    if (level == null) {
      throw JsonObjectReader.invalid(
          "level: expected debug, info, notice, warning, error, critical, alert or" + " emergency");
    }
    Objects.requireNonNull(call.session()).level(level);
    return new JsonObjectBuilder();
  }

  /**
   * Opens a subscription (2026-07-28), which ends when the client cancels it or the server closes.
   * Must not block, because it may run on a reading thread.
   */
  CompletableFuture<JsonObjectBuilder> listen(McpCall call, JsonObjectReader params) {
    if (Objects.requireNonNull(call.call().id()).json().length() > MAX_ID) {
      throw JsonObjectReader.invalid("id: " + MAX_ID + " characters at most, to listen");
    }
    JsonObjectReader filter = params.object("notifications");
    Set<Subscribers.Kind> kinds = EnumSet.noneOf(Subscribers.Kind.class);
    JsonObjectBuilder honoured = new JsonObjectBuilder();
    for (Subscribers.Kind kind : Subscribers.Kind.values()) {
      if (filter.flag(kind.filter)) {
        kinds.add(kind);
        honoured.flag(kind.filter, true);
      }
    }
    List<String> uris = bounded(filter, "resourceSubscriptions");
    honoured.putUnlessEmpty("resourceSubscriptions", uris);
    List<Task> tasks = tasks(call, filter);
    List<String> taskIds = tasks.stream().map(Task::id).toList();
    honoured.putUnlessEmpty("taskIds", taskIds);
    Object endpoint = call.call().attributes().get(StreamableHttpHandler.STATELESS);
    Object owner = endpoint == null ? call.call().peer() : endpoint;
    Subscribers.Listening listening = Subscribers.Listening.of(
        call.call(), owner, kinds, Set.copyOf(uris), Set.copyOf(taskIds), honoured.build());
    server.subscribers().add(listening);
    if (!tasks.isEmpty()) {
      // On another thread: this may be a reading thread, and results of tasks are large.
      Threads.start(Threads.CALLS, () -> tasks.forEach(Task::changed));
    }
    if (owner instanceof Peer peer) {
      // Without this, the request would stay open after the end of the input.
      peer.flow().onInputClosed(() -> server.subscribers().leave(peer));
    }
    call.cancellation().onCancel(() -> listening.end().cancel(false));
    return listening.end();
  }

  /** Returns the tasks in the filter that the principal may see. */
  private List<Task> tasks(McpCall call, JsonObjectReader filter) {
    if (filter.has("taskIds")) {
      call.requireTasks();
    }
    return bounded(filter, "taskIds").stream()
        .map(id -> server.tasks().find(id, call.principal()))
        .filter(Objects::nonNull)
        .filter(task -> task.tool().isAllowedTo(call.principal()))
        .toList();
  }

  private static List<String> bounded(JsonObjectReader filter, String name) {
    List<String> names = filter.stringList(name);
    if (names.size() > MAX_LISTENED) {
      throw JsonObjectReader.invalid("notifications." + name + ": " + MAX_LISTENED + " at most");
    }
    return new ArrayList<>(new java.util.LinkedHashSet<>(names));
  }
}
