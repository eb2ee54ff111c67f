package dev.repartee.mcp;

import dev.repartee.Call;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.state.Notices;
import dev.repartee.mcp.types.LogLevel;
import dev.repartee.message.Id;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The subscribers of changes: sessions that have sent {@code notifications/initialized}, and {@code
 * subscriptions/listen} requests (2026-07-28). A change never waits for a subscriber.
 *
 * <p>Thread-safe, without a lock: both sets are concurrent, and each subscriber orders its own
 * notifications ({@link Notices}).
 */
final class Subscribers {
  /** A list that may change. */
  enum Kind {
    TOOLS("notifications/tools/list_changed", "toolsListChanged"),
    PROMPTS("notifications/prompts/list_changed", "promptsListChanged"),
    RESOURCES("notifications/resources/list_changed", "resourcesListChanged");

    final String notification;
    final String filter;

    Kind(String notification, String filter) {
      this.notification = notification;
      this.filter = filter;
    }
  }

  /**
   * A {@code subscriptions/listen} request that is still open.
   *
   * @param call the request
   * @param owner the connection or the HTTP handler with which this request ends
   * @param kinds the lists to report changes of
   * @param uris the URIs of the resources to report changes of
   * @param tasks the ids of the tasks to report changes of
   * @param notices the pending notifications; the first one acknowledges the request
   * @param end completes with the result of the request
   */
  record Listening(
      Call call,
      Object owner,
      Set<Kind> kinds,
      Set<String> uris,
      Set<String> tasks,
      Notices notices,
      CompletableFuture<JsonObjectBuilder> end) {
    /**
     * Creates an open request. Its first notification is {@code
     * notifications/subscriptions/acknowledged} with the subscriptions that the server honours.
     */
    static Listening of(
        Call call,
        Object owner,
        Set<Kind> kinds,
        Set<String> uris,
        Set<String> tasks,
        Json honoured) {
      JsonObjectBuilder params = new JsonObjectBuilder().put("notifications", honoured);
      Notices notices =
          new Notices(() -> offer(call, "notifications/subscriptions/acknowledged", () -> params));
      return new Listening(call, owner, kinds, uris, tasks, notices, new CompletableFuture<>());
    }

    /**
     * Sends a notification of a change. The params are computed when the notification is sent: then
     * they are current, and a large result does not wait in the write queue.
     */
    void tell(Object subject, String method, Supplier<JsonObjectBuilder> params) {
      notices.add(subject, () -> offer(call, method, params));
    }

    /** Offers a notification with the subscription id. Returns false if the write queue is full. */
    private static boolean offer(Call call, String method, Supplier<JsonObjectBuilder> params) {
      return call.tryNotify(method, () -> params.get().put("_meta", meta(call)).build());
    }

    Json meta() {
      return meta(call);
    }

    private static Json meta(Call call) {
      Id id = Objects.requireNonNull(call.id());
      return new JsonObjectBuilder()
          .put("io.modelcontextprotocol/subscriptionId", id.json())
          .build();
    }
  }

  private final Set<ServerSession> sessions = ConcurrentHashMap.newKeySet();
  private final Set<Listening> listenings = ConcurrentHashMap.newKeySet();

  void add(ServerSession session) {
    sessions.add(session);
    if (session.isOver()) {
      sessions.remove(session); // it ended before it was added; its end did not remove it
    }
  }

  void remove(ServerSession session) {
    session.end();
    sessions.remove(session);
  }

  /** Adds an open request and sends its acknowledgement. */
  void add(Listening listening) {
    listenings.add(listening); // before the acknowledgement, because the client relies on it
    listening.end().whenComplete((result, failure) -> {
      listenings.remove(listening);
      listening.notices().close();
    });
    listening.notices().begin();
  }

  /** Reports that a list has changed. */
  void changed(Kind kind) {
    sessions.forEach(session -> session.tell(kind, kind.notification, Json.EMPTY_OBJECT));
    listenings.stream()
        .filter(listening -> listening.kinds().contains(kind))
        .forEach(listening -> listening.tell(kind, kind.notification, JsonObjectBuilder::new));
  }

  /** Reports that the contents of a resource have changed. */
  void updated(String uri) {
    Json params = new JsonObjectBuilder().put("uri", uri).build();
    sessions.forEach(session -> session.updated(uri, params));
    listenings.stream()
        .filter(listening -> listening.uris().contains(uri))
        .forEach(listening -> listening.tell(
            uri, "notifications/resources/updated", () -> new JsonObjectBuilder().put("uri", uri)));
  }

  /** Sends a log message to the sessions that want its level. */
  void log(LogLevel level, Json params) {
    sessions.forEach(session -> session.log(level, params));
  }

  /** Reports that a URL elicitation is complete. */
  void completeElicitation(String id) {
    sessions.forEach(session -> session.completeElicitation(id));
  }

  /** Reports that a task has changed. */
  void changed(Task task) {
    listenings.stream()
        .filter(listening -> listening.tasks().contains(task.id()))
        .forEach(listening -> listening.tell(task, "notifications/tasks", task::details));
  }

  /** Ends the open requests of a connection or an HTTP handler. */
  void leave(Object owner) {
    listenings.stream()
        .filter(listening -> listening.owner() == owner)
        .forEach(listening ->
            listening.end().complete(new JsonObjectBuilder().put("_meta", listening.meta())));
  }
}
