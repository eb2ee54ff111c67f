package dev.repartee.mcp;

import dev.repartee.Call;
import dev.repartee.Id;
import dev.repartee.Json;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Who wants to know when something changes: sessions that have said that they are there, and requests
 * that listen. Nobody who changes something waits for those who are told of it. Thread-safe.
 */
final class Audience {
  /** What may change. */
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
   * A request that listens until it is over.
   *
   * @param call what carries it
   * @param owner what it ends with: a connection, or an endpoint
   * @param kinds what it wants to know of
   * @param uris the resources that it wants to know of
   * @param tasks the tasks that it wants to know of
   * @param notices what it has still to be told, first that it is honoured
   * @param end completes when it is over
   */
  record Listening(
      Call call,
      Object owner,
      Set<Kind> kinds,
      Set<String> uris,
      Set<String> tasks,
      Notices notices,
      CompletableFuture<Members> end) {
    /**
     * A request whose first notice says what of its wishes is honoured, before anything that it is told
     * later.
     */
    static Listening of(
        Call call,
        Object owner,
        Set<Kind> kinds,
        Set<String> uris,
        Set<String> tasks,
        Json honoured) {
      Members params = new Members().put("notifications", honoured);
      Notices notices =
          new Notices(() -> offer(call, "notifications/subscriptions/acknowledged", params));
      return new Listening(call, owner, kinds, uris, tasks, notices, new CompletableFuture<>());
    }

    /** Tells it of a change of that subject, in the words that it has when there is room. */
    void tell(Object subject, String method, Supplier<Members> params) {
      notices.add(subject, () -> offer(call, method, params.get()));
    }

    /** Offers something with the id of the request that it is said for. */
    private static boolean offer(Call call, String method, Members params) {
      return call.offer(method, params.put("_meta", meta(call)).json());
    }

    Json meta() {
      return meta(call);
    }

    private static Json meta(Call call) {
      Id id = java.util.Objects.requireNonNull(call.id());
      return new Members()
          .put("io.modelcontextprotocol/subscriptionId", id.json())
          .json();
    }
  }

  private final Set<Session> sessions = ConcurrentHashMap.newKeySet();
  private final Set<Listening> listenings = ConcurrentHashMap.newKeySet();

  void add(Session session) {
    sessions.add(session);
    if (session.isOver()) {
      sessions.remove(session); // it went while it said that it is there
    }
  }

  void remove(Session session) {
    session.end();
    sessions.remove(session);
  }

  /** Adds a request, and tells it what of its wishes is honoured. */
  void add(Listening listening) {
    listenings.add(listening); // first, since the client relies on it once it was told
    listening.end().whenComplete((result, failure) -> {
      listenings.remove(listening);
      listening.notices().close();
    });
    listening.notices().begin();
  }

  /** A list has changed. */
  void changed(Kind kind) {
    sessions.forEach(session -> session.tell(kind, kind.notification, Json.EMPTY_OBJECT));
    listenings.stream()
        .filter(listening -> listening.kinds().contains(kind))
        .forEach(listening -> listening.tell(kind, kind.notification, Members::new));
  }

  /** What a resource holds has changed. */
  void updated(String uri) {
    Json params = new Members().put("uri", uri).json();
    sessions.forEach(session -> session.updated(uri, params));
    listenings.stream()
        .filter(listening -> listening.uris().contains(uri))
        .forEach(listening -> listening.tell(
            uri, "notifications/resources/updated", () -> new Members().put("uri", uri)));
  }

  /** A user is done with a page. */
  void visited(String id) {
    sessions.forEach(session -> session.visited(id));
  }

  /** A task has changed. */
  void changed(Task task) {
    listenings.stream()
        .filter(listening -> listening.tasks().contains(task.id()))
        .forEach(listening -> listening.tell(task, "notifications/tasks", task::details));
  }

  /** Ends what listens by way of that: nothing more will be told. */
  void leave(Object owner) {
    listenings.stream()
        .filter(listening -> listening.owner() == owner)
        .forEach(
            listening -> listening.end().complete(new Members().put("_meta", listening.meta())));
  }
}
