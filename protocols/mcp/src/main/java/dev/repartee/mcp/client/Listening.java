package dev.repartee.mcp.client;

import dev.repartee.CallFuture;
import dev.repartee.RpcException;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.json.JsonWriter;
import dev.repartee.json.UnsafeJson;
import dev.repartee.mcp.client.http.StreamableHttpChannel;
import dev.repartee.mcp.wire.JsonObjectReader;
import dev.repartee.transport.DisconnectedException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A subscription. Thread-safe. The monitor guards the state; no callback runs while it is held. */
final class Listening implements Subscription {
  private final Listenings owner;
  private final ChangeFilter wanted;
  private final Consumer<Change> to;
  private final CompletableFuture<Listening> opened = new CompletableFuture<>();
  private volatile ChangeFilter honoured = ChangeFilter.NONE;
  private volatile boolean closed;
  private @Nullable Link link; // guarded by this
  private @Nullable CallFuture<Json> request; // guarded by this
  private int attempts; // guarded by this
  private @Nullable Long acknowledgedAt; // on the clock of the owner, guarded by this

  Listening(Listenings owner, ChangeFilter wanted, Consumer<Change> to) {
    this.owner = owner;
    this.wanted = wanted;
    this.to = to;
  }

  CompletableFuture<Listening> opened() {
    return opened;
  }

  /** Opens this subscription on a connection, unless it is open there. */
  void open(Link on) {
    synchronized (this) {
      if (closed || link == on) {
        return;
      }
      link = on;
      acknowledgedAt = null;
    }
    if (on.isStateless()) {
      listen(on);
      return;
    }
    try {
      subscribe(on);
    } catch (DisconnectedException e) {
      opened.completeExceptionally(e); // the next connection calls open() again
    }
  }

  private void listen(Link on) {
    Listenings.Key[] key = new Listenings.Key[1];
    JsonWriter out = new JsonWriter().ascii("{\"notifications\":").json(filter());
    out.ascii(",\"_meta\":{").raw(owner.requests().metadata(on, !wanted.tasks().isEmpty()));
    Json params = UnsafeJson.wrap(out.ascii("}}").toBytes());
    try {
      CallFuture<Json> sent = on.peer()
          .request("subscriptions/listen")
          .params(params)
          .timeout(Duration.ZERO)
          .independent() // it outlives the call whose handler has opened it
          .onId(id -> {
            key[0] = new Listenings.Key(on, id);
            owner.begun(key[0], this);
          })
          .send(Json.class);
      boolean late;
      synchronized (this) {
        request = sent;
        late = closed;
      }
      if (late) {
        sent.cancel(true);
      }
      sent.whenComplete((result, failure) -> ended(on, key[0], failure));
    } catch (DisconnectedException e) {
      ended(on, key[0], e);
    } catch (RuntimeException e) {
      owner.ended(key[0]);
      fail(e);
    }
  }

  /**
   * Opens the subscription again after its request has ended. Closes it instead if the server
   * refused the request, since it would refuse the same request again.
   */
  private void ended(Link on, Listenings.@Nullable Key key, @Nullable Throwable failure) {
    owner.ended(key);
    int attempt;
    synchronized (this) {
      if (closed || link != on) {
        return;
      }
      link = null;
      request = null;
      Long since = acknowledgedAt;
      acknowledgedAt = null;
      if (since != null && owner.isStable(since)) {
        attempts = 0;
      }
      attempt = ++attempts;
    }
    if (failure != null && !opened.isDone()) {
      fail(Futures.failure(failure));
      return;
    }
    if (failure instanceof RpcException) {
      close();
      return;
    }
    reopen(attempt);
  }

  private void reopen(int attempt) {
    owner.clock().schedule(Listenings.BACKOFF.delay(attempt), Futures.WORKERS, () -> {
      if (isLast(attempt) && !owner.requests().isClosed()) {
        owner.requests().link().whenComplete((next, failure) -> {
          if (next != null) {
            open(next);
          } else {
            again(attempt);
          }
        });
      }
    });
  }

  /** Returns whether this attempt is the last one and the subscription is not open yet. */
  private synchronized boolean isLast(int attempt) {
    return !closed && link == null && attempts == attempt;
  }

  private void again(int failed) {
    synchronized (this) {
      if (!isLast(failed)) {
        return;
      }
      attempts++;
    }
    reopen(failed + 1);
  }

  private Json filter() {
    return new JsonObjectBuilder()
        .flag("toolsListChanged", wanted.tools())
        .flag("promptsListChanged", wanted.prompts())
        .flag("resourcesListChanged", wanted.resources())
        .putUnlessEmpty("resourceSubscriptions", wanted.uris())
        .putUnlessEmpty("taskIds", wanted.tasks())
        .build();
  }

  void acknowledged(Link on, @Nullable Json filter) {
    try {
      JsonObjectReader in = JsonObjectReader.of(filter);
      honoured = new ChangeFilter(
          in.flag("toolsListChanged"),
          in.flag("promptsListChanged"),
          in.flag("resourcesListChanged"),
          new LinkedHashSet<>(in.stringList("resourceSubscriptions")),
          new LinkedHashSet<>(in.stringList("taskIds")));
    } catch (RpcException e) {
      fail(Answers.broken("subscriptions/listen", on.server(), e.error().message()));
      return;
    }
    acknowledged();
  }

  private void acknowledged() {
    synchronized (this) {
      acknowledgedAt = owner.clock().nanos(); // set first: the request may end immediately
    }
    if (!opened.complete(this)) {
      take(new Change(Change.Kind.RENEWED, null));
    }
  }

  // ---------------------------------------------------------------- handshake revisions

  private void subscribe(Link on) {
    CompletableFuture<?>[] answers = wanted.uris().stream()
        .map(uri -> on.peer()
            .request("resources/subscribe")
            .params(Json.of(Map.of("uri", uri)))
            .independent()
            .send(Json.class))
        .toArray(CompletableFuture<?>[]::new);
    // Waits for the stream of changes: a change that the server sends before would be lost.
    StreamableHttpChannel http = on.http();
    CompletableFuture<?> heard =
        http == null ? CompletableFuture.completedFuture(null) : http.listening();
    CompletableFuture<Void> all = CompletableFuture.allOf(answers);
    heard.thenCompose(nothing -> all).whenComplete((nothing, failure) -> {
      if (failure == null) {
        honoured = new ChangeFilter(
            wanted.tools() && on.announces("tools", "listChanged"),
            wanted.prompts() && on.announces("prompts", "listChanged"),
            wanted.resources() && on.announces("resources", "listChanged"),
            wanted.uris(),
            wanted.tasks());
        acknowledged();
      } else if (!opened.isDone()) {
        fail(Futures.failure(failure));
      } else if (Futures.failure(failure) instanceof RpcException) {
        close();
      } // else the connection was lost; the next one subscribes again
    });
  }

  /** Delivers a change that does not name a subscription, if this subscription asked for it. */
  void offer(Change change) {
    boolean fits = switch (change.kind()) {
      case TOOLS -> wanted.tools();
      case PROMPTS -> wanted.prompts();
      case RESOURCES -> wanted.resources();
      case RESOURCE -> isWatched(String.valueOf(change.uri()));
      case TASK -> wanted.tasks().contains(change.uri());
      case RENEWED -> false;
    };
    if (fits) {
      take(change);
    }
  }

  /** Returns whether a resource is watched, directly or as a part of a watched resource. */
  private boolean isWatched(String uri) {
    Set<String> uris = wanted.uris();
    return uris.contains(uri) || uris.stream().anyMatch(uri::startsWith);
  }

  void take(Change change) {
    if (!closed) {
      to.accept(change);
    }
  }

  // ---------------------------------------------------------------- the end

  void fail(RuntimeException cause) {
    opened.completeExceptionally(cause);
    close();
  }

  @Override
  public ChangeFilter honoured() {
    return honoured;
  }

  @Override
  public boolean isOpen() {
    return !closed;
  }

  @Override
  public void close() {
    Link on;
    CallFuture<Json> sent;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      on = link;
      sent = request;
    }
    owner.closed(this);
    if (sent != null) {
      sent.cancel(true);
    } else if (on != null && !on.isStateless() && on.isOpen()) {
      List.copyOf(wanted.uris()).forEach(uri -> {
        try {
          on.peer()
              .request("resources/unsubscribe")
              .params(Json.of(Map.of("uri", uri)))
              .independent()
              .send(Json.class);
        } catch (RuntimeException e) {
          // The connection has ended, and the subscription with it.
        }
      });
    }
  }
}
