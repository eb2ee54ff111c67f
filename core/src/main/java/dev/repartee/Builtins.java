package dev.repartee;

import dev.repartee.Execution.Control;
import dev.repartee.Execution.OfHandler;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.message.Dialect;
import dev.repartee.message.Id;
import dev.repartee.stream.Streaming;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The built-in methods. Their names begin with {@code rpc.}, which JSON-RPC 2.0 reserves (section
 * 4.3, 8), unless the dialect names them.
 */
final class Builtins {
  private Builtins() {}

  static Service of(Service service, Options options) {
    Service.Builder all = Service.builder();
    for (Options.Builtin builtin : Options.Builtin.values()) {
      if (options.builtins().contains(builtin)) {
        RpcMethod method = method(builtin, service, options);
        if (method != null) {
          all.add(method);
        }
      }
    }
    String progress = options.dialect().progressMethod();
    if (progress != null) {
      all.add(RpcMethod.immediate(progress, Builtins::progress));
    }
    if (!options.dialect().isJsonRpc2()) {
      return all.build(); // the rest belongs to streams
    }
    all.add(RpcMethod.immediate(ReceivedStream.CREDIT, Builtins::credit));
    all.add(RpcMethod.immediate(Ending.CLOSING, Builtins::closing));
    Set<String> unsubscribe = new LinkedHashSet<>();
    for (RpcMethod method : service.methods()) {
      Streaming streaming = method.streaming();
      if (streaming != null && streaming.form() == Streaming.Form.SUBSCRIPTION) {
        unsubscribe.add(streaming.unsubscribe());
      }
    }
    unsubscribe.forEach(
        name -> all.add(RpcMethod.builtin(name, new OfHandler(Builtins::unsubscribe))));
    return all.build();
  }

  /** Grants items to the stream of a call. A call that has ended is ignored. */
  private static void credit(Exchange x) {
    Json params = x.params();
    Id id = Dialect.PLAIN.cancelled(params);
    OwnedExchange call = id == null ? null : x.connection().scheduler().find(id);
    if (call != null && call.method().isOther()) {
      call.refuseStream();
    } else if (call != null) {
      long items = credit(params);
      if (items > 0) {
        call.grant(items);
      } else {
        String rule = ReceivedStream.CREDIT + ": n has to be an integer from 1 on";
        x.connection().violation(rule);
        call.stopStream(Errors.invalidParams(rule));
      }
    }
    x.nothing();
  }

  /**
   * Receives an announcement of the other side, or its request for one of this side; see {@link
   * Ending#CLOSING}.
   */
  private static void closing(Exchange x) {
    Json params = x.params();
    Peer peer = x.connection().peer();
    if (peer != null && params != null && params.get(Ending.ANNOUNCE) != null) {
      peer.ending().announce();
    } else if (peer != null) {
      peer.leave();
    }
    x.nothing();
  }

  private static long credit(@Nullable Json params) {
    try {
      Json n = params == null ? null : params.get("n");
      return n == null ? 0 : n.as(long.class);
    } catch (JsonException e) {
      return 0;
    }
  }

  private static Object unsubscribe(Call call) {
    Connection connection = Objects.requireNonNull(call.connection());
    Json params = call.params();
    List<Json> all = params == null
        ? List.of()
        : params.kind() == Json.Kind.ARRAY
            ? params.elements()
            : List.copyOf(params.members().values());
    if (all.size() != 1 || all.get(0).kind() != Json.Kind.STRING) {
      throw RpcException.invalidParams("the only param is the id of the subscription, a string");
    }
    return connection.subscriptions().end(call.method(), all.get(0).as(String.class));
  }

  private static @Nullable RpcMethod method(
      Options.Builtin builtin, Service service, Options options) {
    return switch (builtin) {
      case PING -> RpcMethod.builtin(builtin.method(), new Control(call -> "pong"));
      case STATUS -> RpcMethod.builtin(builtin.method(), new Control(Builtins::status));
      case DISCOVER -> {
        boolean status = options.builtins().contains(Options.Builtin.STATUS);
        Discovery discovery = new Discovery(service, status, options.access());
        yield RpcMethod.builtin(
            builtin.method(), new OfHandler(call -> discovery.document(call.principal())));
      }
      case CANCEL -> {
        String cancel = options.dialect().cancelMethod();
        yield cancel == null ? null : RpcMethod.immediate(cancel, Builtins::cancel);
      }
    };
  }

  /**
   * Cancels a call. If this message is a request, its result is null, even if there is no such
   * call.
   */
  private static void cancel(Exchange x) {
    Id id = x.connection().options().dialect().cancelled(x.params());
    if (id != null) {
      x.connection().scheduler().cancel(id);
    }
    x.nothing();
  }

  private static void progress(Exchange x) {
    Peer peer = x.connection().peer();
    Json params = x.params();
    if (peer != null && params != null) {
      peer.caller().responses().progress(params);
      String method = x.method().name();
      if (peer.caller().mayPush(method)) {
        peer.caller().push(method, params);
      }
    }
    x.nothing();
  }

  private static Object status(Call call) {
    Connection connection = Objects.requireNonNull(call.connection());
    Scheduler scheduler = connection.scheduler();
    Peer peer = connection.peer();
    ServerStatus server = scheduler.calls().server();
    // StatusSchema describes these members.
    return new JsonObjectBuilder()
        .put("running", Math.max(0, scheduler.running() - 1)) // without this call
        .put("waiting", scheduler.waiting())
        .put("pending", peer == null ? 0 : peer.caller().pending())
        .put(
            "server", server == null ? null : server.report(connection.context().service()))
        .build();
  }
}
