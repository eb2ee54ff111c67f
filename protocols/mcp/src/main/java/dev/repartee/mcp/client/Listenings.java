package dev.repartee.mcp.client;

import dev.repartee.internal.Clock;
import dev.repartee.json.Json;
import dev.repartee.mcp.wire.JsonObjectReader;
import dev.repartee.message.Id;
import dev.repartee.reconnect.Backoff;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of a client. In the stateless revision each subscription is a separate request,
 * and its messages refer to the id of that request. In the handshake revisions the server reports
 * changes of lists without a subscription. Thread-safe.
 */
final class Listenings {
  /** The maximum number of subscriptions. */
  private static final int MOST = 1_000;

  static final Backoff BACKOFF = Backoff.DEFAULT.initial(Duration.ofMillis(500));

  private static final String SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

  /** The request of a subscription: its connection and id. */
  record Key(Link link, Id id) {}

  private final Requests requests;
  private final Clock clock;
  private final ResultCache cache;
  private final Set<Listening> all = ConcurrentHashMap.newKeySet();
  private final Map<Key, Listening> requested = new ConcurrentHashMap<>();
  private final AtomicInteger attempts = new AtomicInteger();

  Listenings(Requests requests, ResultCache cache, Clock clock) {
    this.clock = clock;
    this.requests = requests;
    this.cache = cache;
  }

  /** Opens a subscription. The future completes when the server acknowledges it. */
  CompletableFuture<Subscription> open(ChangeFilter filter, Consumer<Change> to) {
    if (all.size() >= MOST) {
      throw new IllegalStateException(
          "this client has " + MOST + " subscriptions; close some, or join their filters");
    }
    Listening listening = new Listening(this, filter, to);
    all.add(listening);
    listening.opened().whenComplete((opened, failure) -> {
      if (failure != null) {
        listening.close();
      }
    });
    requests.link().whenComplete((link, failure) -> {
      if (failure != null) {
        listening.fail(Futures.failure(failure));
      } else {
        listening.open(link);
      }
    });
    return Futures.map(listening.opened(), opened -> listening);
  }

  Requests requests() {
    return requests;
  }

  Clock clock() {
    return clock;
  }

  void begun(Key key, Listening listening) {
    requested.put(key, listening);
  }

  void ended(@Nullable Key key) {
    if (key != null) {
      requested.remove(key);
    }
  }

  void closed(Listening listening) {
    all.remove(listening);
  }

  /** Opens the subscriptions on a new connection. If that connection is lost, opens another one. */
  void connected(Link link) {
    long since = clock.nanos();
    all.forEach(listening -> listening.open(link));
    link.peer().closed().whenComplete((nothing, cause) -> {
      if (isStable(since)) {
        attempts.set(0);
      }
      reconnect();
    });
  }

  private void reconnect() {
    if (requests.isClosed() || all.isEmpty()) {
      return;
    }
    int attempt = attempts.incrementAndGet();
    clock.schedule(BACKOFF.delay(attempt), Futures.WORKERS, () -> {
      if (!requests.isClosed() && !all.isEmpty() && attempts.get() == attempt) {
        requests.link().whenComplete((link, failure) -> {
          if (failure != null) {
            reconnect();
          }
        });
      }
    });
  }

  /** Returns whether a connection that began at this time of {@link #clock} was stable. */
  boolean isStable(long since) {
    return BACKOFF.isStable(Duration.ofNanos(clock.nanos() - since));
  }

  /** Passes a notification to the subscriptions that asked for it. */
  void changed(Link link, String method, Json params) {
    Json meta = params.get("_meta");
    Json id = meta == null ? null : meta.get(SUBSCRIPTION);
    Double number = Answers.hint(id); // ids of this client are small whole numbers
    Listening of = number == null ? null : requested.get(new Key(link, Id.of(number.longValue())));
    if (method.equals("notifications/subscriptions/acknowledged")) {
      if (of != null) {
        of.acknowledged(link, params.get("notifications"));
      }
      return;
    }
    Change change = change(method, params);
    forget(change);
    if (of != null) {
      of.take(change);
    } else if (!link.isStateless()) {
      all.forEach(listening -> listening.offer(change));
    }
  }

  private static Change change(String method, Json params) {
    JsonObjectReader in = JsonObjectReader.of(params);
    return switch (method) {
      case "notifications/tools/list_changed" -> new Change(Change.Kind.TOOLS, null);
      case "notifications/prompts/list_changed" -> new Change(Change.Kind.PROMPTS, null);
      case "notifications/resources/list_changed" -> new Change(Change.Kind.RESOURCES, null);
      case "notifications/resources/updated" -> new Change(Change.Kind.RESOURCE, in.string("uri"));
      default -> new Change(Change.Kind.TASK, in.string("taskId"));
    };
  }

  private void forget(Change change) {
    switch (change.kind()) {
      case TOOLS -> cache.forget("tools/");
      case PROMPTS -> cache.forget("prompts/");
      case RESOURCES -> {
        cache.forget("resources/list ");
        cache.forget("resources/templates/list ");
      }
      case RESOURCE -> cache.forget("resources/read " + change.uri());
      default -> {}
    }
  }
}
