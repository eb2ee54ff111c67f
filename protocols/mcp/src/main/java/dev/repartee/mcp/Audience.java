package dev.repartee.mcp;

import dev.repartee.Call;
import dev.repartee.Id;
import dev.repartee.Json;
import dev.repartee.LimitException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Who wants to know when something changes: sessions that have said that they are there, and requests
 * that listen. Thread-safe.
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
   * @param begun completes when that was acknowledged, which is told before anything else
   * @param end completes when it is over
   */
  record Listening(
      Call call,
      Object owner,
      Set<Kind> kinds,
      Set<String> uris,
      Set<String> tasks,
      CompletableFuture<@Nullable Void> begun,
      CompletableFuture<Members> end) {
    /** Tells it of a change, once it was told that it will be. */
    void tell(String method, Members params) {
      begun.join();
      try {
        say(method, params);
      } catch (LimitException e) {
        // What does not fit into a message is not told; the client finds it where it asks.
      }
    }

    /** Says something with the id of the request that it is said for. */
    private void say(String method, Members params) {
      call.notify(method, params.put("_meta", meta()).json());
    }

    Json meta() {
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
  void add(Listening listening, Members honoured) {
    listenings.add(listening); // first, since the client relies on it once it was told
    listening.end().whenComplete((result, failure) -> listenings.remove(listening));
    try {
      Members params = new Members().put("notifications", honoured.json());
      listening.say("notifications/subscriptions/acknowledged", params);
    } finally {
      listening.begun().complete(null);
    }
  }

  /** A list has changed. */
  void changed(Kind kind) {
    sessions.forEach(session -> session.line().notify(kind.notification, Json.EMPTY_OBJECT));
    listenings.stream()
        .filter(listening -> listening.kinds().contains(kind))
        .forEach(listening -> listening.tell(kind.notification, new Members()));
  }

  /** What a resource holds has changed. */
  void updated(String uri) {
    Json params = new Members().put("uri", uri).json();
    sessions.forEach(session -> session.updated(uri, params));
    listenings.stream()
        .filter(listening -> listening.uris().contains(uri))
        .forEach(listening ->
            listening.tell("notifications/resources/updated", new Members().put("uri", uri)));
  }

  /** A user is done with a page. */
  void visited(String id) {
    sessions.forEach(session -> session.visited(id));
  }

  /** A task has changed. */
  void changed(Task task) {
    listenings.stream()
        .filter(listening -> listening.tasks().contains(task.id()))
        .forEach(listening -> listening.tell("notifications/tasks", task.details()));
  }

  /** Ends what listens by way of that: nothing more will be told. */
  void leave(Object owner) {
    listenings.stream()
        .filter(listening -> listening.owner() == owner)
        .forEach(
            listening -> listening.end().complete(new Members().put("_meta", listening.meta())));
  }
}
