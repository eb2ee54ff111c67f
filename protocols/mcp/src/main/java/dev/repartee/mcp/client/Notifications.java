package dev.repartee.mcp.client;

import dev.repartee.Call;
import dev.repartee.Lane;
import dev.repartee.ProtocolException;
import dev.repartee.RpcException;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.mcp.wire.JsonObjectReader;
import dev.repartee.message.RpcError;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Serves the notifications of a server, and its requests in the handshake revisions. Shared by all
 * connections of a client. Thread-safe.
 */
final class Notifications {
  /** Receives changes and acknowledgements of subscriptions. */
  @FunctionalInterface
  interface Changes {
    void changed(Link link, String method, Json params);
  }

  private static final String[] CHANGES = {
    "notifications/tools/list_changed",
    "notifications/prompts/list_changed",
    "notifications/resources/list_changed",
    "notifications/resources/updated",
    "notifications/subscriptions/acknowledged",
    "notifications/tasks",
    "notifications/tasks/status"
  };

  private final Settings settings;
  private final Inputs inputs;
  private final AtomicLong tokens = new AtomicLong();
  private final Map<Long, Consumer<Progress>> progress = new ConcurrentHashMap<>();
  private volatile Changes changes = (link, method, params) -> {};

  Notifications(Settings settings, Inputs inputs) {
    this.settings = settings;
    this.inputs = inputs;
  }

  /** Sets the receiver of changes and acknowledgements, by method. */
  void onChange(Changes changes) {
    this.changes = changes;
  }

  /** Returns a progress token. Its reports go to the consumer until {@link #forget}. */
  long token(Consumer<Progress> consumer) {
    long token = tokens.incrementAndGet();
    progress.put(token, consumer);
    return token;
  }

  void forget(long token) {
    progress.remove(token);
  }

  /** Returns the service of a connection. */
  Service service(Link link) {
    Service.Builder service = Service.builder()
        .method("ping", Lane.INLINE, call -> Json.EMPTY_OBJECT)
        .method("notifications/progress", Lane.INLINE, call -> reported(link, call))
        .method("notifications/message", Lane.INLINE, call -> logged(link, call))
        .others(Lane.INLINE, call -> other(call));
    for (String change : CHANGES) {
      service.method(change, Lane.INLINE, call -> {
        Json params = call.params();
        changes.changed(link, change, params == null ? Json.EMPTY_OBJECT : params);
        return null;
      });
    }
    if (settings.elicitation() != null) {
      service.method("elicitation/create", call -> ask(link, call));
    }
    if (settings.sampling() != null) {
      service.method("sampling/createMessage", call -> ask(link, call));
    }
    if (settings.roots() != null) {
      service.method("roots/list", call -> ask(link, call));
    }
    return service.build();
  }

  private Json ask(Link link, Call call) {
    if (link.isStateless()) {
      link.abort(new ProtocolException(link.server() + " broke the protocol: it sent the request '"
          + call.method() + "' in the stateless revision, in which only clients send requests"));
    }
    return inputs.answer(call.method(), call.params());
  }

  /** Ignores unknown notifications, as the specification requires, and refuses requests. */
  private static @Nullable Object other(Call call) {
    if (call.id() == null) {
      return null;
    }
    throw new RpcException(RpcError.METHOD_NOT_FOUND, "Method not found");
  }

  private @Nullable Object reported(Link link, Call call) {
    try {
      JsonObjectReader in = JsonObjectReader.of(call.params());
      Json token = in.get("progressToken");
      Consumer<Progress> consumer = token == null || token.kind() != Json.Kind.NUMBER
          ? null
          : progress.get(token.as(long.class));
      if (consumer != null) {
        consumer.accept(Answers.progress(in));
      }
    } catch (RpcException | JsonException e) {
      violation(link, "notifications/progress", e);
    }
    return null;
  }

  private @Nullable Object logged(Link link, Call call) {
    Consumer<LogMessage> consumer = settings.log();
    Json params = call.params();
    if (consumer == null || params == null) {
      return null;
    }
    LogMessage message;
    try {
      message = Answers.log(params);
    } catch (RpcException e) {
      violation(link, "notifications/message", e);
      return null;
    }
    consumer.accept(message);
    return null;
  }

  private void violation(Link link, String method, RuntimeException e) {
    settings
        .options()
        .listener()
        .violation(link.peer().channel(), "an invalid '" + method + "': " + e.getMessage());
  }
}
