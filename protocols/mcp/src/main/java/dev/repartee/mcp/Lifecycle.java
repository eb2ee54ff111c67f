package dev.repartee.mcp;

import dev.repartee.Json;
import dev.repartee.Peer;
import dev.repartee.RpcError;
import dev.repartee.RpcException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** How a client and a server get to know each other, and how the client hears of changes. */
final class Lifecycle {
  /** The resources, and the tasks, that a request may listen to. */
  private static final int MAX_LISTENED = 1_000;

  /** What a client says of itself is kept for as long as it is there. */
  static final int MAX_SAID = 64 << 10;

  /** An id is repeated in all that its listener is told. */
  private static final int MAX_ID = 256;

  private final McpServer server;

  Lifecycle(McpServer server) {
    this.server = server;
  }

  /** 2025-11-25 and before: the handshake. A revision that is not known is answered with the newest. */
  Members initialize(McpCall call, Fields params) {
    Revision asked = Revision.of(params.string("protocolVersion"));
    Revision revision = asked == null || asked.isStateless() ? Revision.LAST_WITH_HANDSHAKE : asked;
    Fields client = params.object("clientInfo");
    params.object("capabilities");
    int said = length(params, "clientInfo") + length(params, "capabilities");
    if (said > MAX_SAID) {
      throw Fields.invalid("clientInfo and capabilities: " + MAX_SAID + " bytes at most");
    }
    Session session = Objects.requireNonNull(call.session());
    if (session.handshake() != null) {
      throw new RpcException(
          RpcError.INVALID_REQUEST, "Invalid Request: initialize was answered already");
    }
    Session.Handshake handshake = new Session.Handshake(
        revision,
        Implementation.of(client),
        new ClientCapabilities(Objects.requireNonNull(params.get("capabilities"))));
    if (!session.begin(handshake, said)) {
      throw new RpcException(McpError.busy("sessionBytes", Session.maxHeld()));
    }
    return new Members()
        .put("protocolVersion", revision.label())
        .put("capabilities", server.capabilities(revision))
        .put("serverInfo", server.self().json())
        .put("instructions", server.instructions());
  }

  private static int length(Fields params, String name) {
    Json value = params.get(name);
    return value == null ? 0 : value.length();
  }

  /** 2026-07-28: what there is to know, without a handshake. */
  Members discover(McpCall call, Fields params) {
    return new Members()
        .put("_meta", Protocol.identity(server.self()))
        .put("supportedVersions", Revision.labels(true))
        .put("capabilities", server.capabilities(call.revision()))
        .put("instructions", server.instructions());
  }

  /** From which level on the log is told. */
  Members setLevel(McpCall call, Fields params) {
    LogLevel level = LogLevel.of(params.string("level"));
    if (level == null) {
      throw Fields.invalid(
          "level: expected debug, info, notice, warning, error, critical, alert or" + " emergency");
    }
    Objects.requireNonNull(call.session()).level(level);
    return new Members();
  }

  /**
   * 2026-07-28: tells of changes until the client has enough, or the server closes. It may run on a thread
   * that reads, and does not block.
   */
  CompletableFuture<Members> listen(McpCall call, Fields params) {
    if (Objects.requireNonNull(call.call().id()).json().length() > MAX_ID) {
      throw Fields.invalid("id: " + MAX_ID + " characters at most, to listen");
    }
    Fields filter = params.object("notifications");
    Set<Audience.Kind> kinds = EnumSet.noneOf(Audience.Kind.class);
    Members honoured = new Members();
    for (Audience.Kind kind : Audience.Kind.values()) {
      if (filter.flag(kind.filter)) {
        kinds.add(kind);
        honoured.flag(kind.filter, true);
      }
    }
    List<String> uris = bounded(filter, "resourceSubscriptions");
    honoured.putAll("resourceSubscriptions", uris);
    List<Task> tasks = tasks(call, filter);
    List<String> taskIds = tasks.stream().map(Task::id).toList();
    honoured.putAll("taskIds", taskIds);
    Object endpoint = call.call().attributes().get(HttpFront.STATELESS);
    Object owner = endpoint == null ? call.call().peer() : endpoint;
    Audience.Listening listening = Audience.Listening.of(
        call.call(), owner, kinds, Set.copyOf(uris), Set.copyOf(taskIds), honoured.json());
    server.audience().add(listening);
    if (!tasks.isEmpty()) {
      // Not on this thread, which may be one that reads: results of tasks are large.
      CompletableFuture.runAsync(() -> tasks.forEach(Task::changed));
    }
    if (owner instanceof Peer peer) {
      peer.onInputEnd(() -> server.audience().leave(peer)); // or nobody would end it
    }
    call.cancellation().onCancel(() -> listening.end().cancel(false));
    return listening.end();
  }

  /** Those of the tasks that a request wants to listen to that its principal may see. */
  private List<Task> tasks(McpCall call, Fields filter) {
    if (filter.has("taskIds")) {
      call.requireTasks();
    }
    return bounded(filter, "taskIds").stream()
        .map(id -> server.tasks().find(id, call.principal()))
        .filter(Objects::nonNull)
        .filter(task -> task.tool().isAllowedTo(call.principal()))
        .toList();
  }

  private static List<String> bounded(Fields filter, String name) {
    List<String> names = filter.stringList(name);
    if (names.size() > MAX_LISTENED) {
      throw Fields.invalid("notifications." + name + ": " + MAX_LISTENED + " at most");
    }
    return new ArrayList<>(new java.util.LinkedHashSet<>(names));
  }
}
