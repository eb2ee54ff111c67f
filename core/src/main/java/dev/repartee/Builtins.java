package dev.repartee;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.json.JsonWriter;
import dev.repartee.json.UnsafeJson;
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
    Set<String> unsubscribe = new LinkedHashSet<>();
    for (RpcMethod method : service.methods()) {
      Streaming streaming = method.streaming();
      if (streaming != null && streaming.form() == Streaming.Form.SUBSCRIPTION) {
        unsubscribe.add(streaming.unsubscribe());
      }
    }
    unsubscribe.forEach(name -> all.add(RpcMethod.builtin(name, Builtins::unsubscribe)));
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
      case PING -> RpcMethod.builtin(builtin.method(), call -> "pong");
      case STATUS -> RpcMethod.builtin(builtin.method(), Builtins::status);
      case DISCOVER -> {
        Discovery discovery =
            new Discovery(service, options.builtins().contains(Options.Builtin.STATUS));
        yield RpcMethod.builtin(builtin.method(), call -> discovery.document());
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
      peer.caller().progress(params);
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

  /**
   * The result of {@code rpc.discover}: an OpenRPC document with all that is known of the methods.
   */
  static final class Discovery {
    /** The description of {@code rpc.status} before the schema of its result. */
    private static final String STATUS =
        "{\"name\":\"rpc.status\",\"description\":\"Returns the load"
            + " of this connection and of its server\",\"params\":[],"
            + "\"result\":{\"name\":\"status\",\"schema\":";

    private final Service service;
    private final boolean withStatus;

    /**
     * Null before the first call: peers with a service each would all keep a document. Two threads
     * may both write the same one.
     */
    private volatile @Nullable Json document;

    /**
     * @param withStatus whether {@code rpc.status} is offered. Of the methods of this library only
     *     this one is described, since the others return no object
     */
    Discovery(Service service, boolean withStatus) {
      this.service = service;
      this.withStatus = withStatus;
    }

    Json document() {
      Json known = document;
      if (known == null) {
        known = write();
        document = known;
      }
      return known;
    }

    private Json write() {
      JsonWriter out = new JsonWriter();
      out.ascii("{\"openrpc\":\"1.4.1\",\"info\":{\"title\":").string(service.title());
      out.ascii(",\"version\":").string(service.version()).ascii("},\"methods\":[");
      boolean first = true;
      for (RpcMethod method : service.methods()) {
        if (!first) {
          out.put(',');
        }
        first = false;
        describe(out, method);
      }
      if (withStatus) {
        out.ascii(first ? "" : ",").ascii(STATUS).json(StatusSchema.SCHEMA).ascii("}}");
      }
      return UnsafeJson.wrap(out.ascii("]}").toBytes());
    }

    private static void describe(JsonWriter out, RpcMethod method) {
      out.ascii("{\"name\":").string(method.name());
      if (!method.description().isEmpty()) {
        out.ascii(",\"description\":").string(method.description());
      }
      if (method.isByPosition()) {
        out.ascii(",\"paramStructure\":\"by-position\"");
      } else if (method.isByName()) {
        out.ascii(",\"paramStructure\":\"by-name\"");
      }
      List<RpcMethod.Parameter> parameters = method.parameters();
      if (parameters == null) {
        out.ascii(",\"x-params-unknown\":true"); // OpenRPC demands the member params all the same
      }
      out.ascii(",\"params\":[");
      if (parameters != null) {
        for (int i = 0; i < parameters.size(); i++) {
          RpcMethod.Parameter parameter = parameters.get(i);
          out.ascii(i == 0 ? "{\"name\":" : ",{\"name\":").string(parameter.name());
          out.ascii(",\"required\":").bool(parameter.required());
          if (parameter.variadic()) {
            out.ascii(",\"x-variadic\":true"); // by position, each element is a separate param
          }
          out.ascii(",\"schema\":").json(parameter.schema()).put('}');
        }
      }
      Json result = method.result();
      Streaming streaming = method.streaming();
      out.put(']');
      if (!method.isNotification()) { // OpenRPC from 1.3 on: no result means a notification
        out.ascii(",\"result\":{\"name\":").string(streaming == null ? "result" : "item");
        out.ascii(",\"schema\":").json(result == null ? Json.TRUE : result).put('}');
      }
      if (streaming != null) {
        describe(out, streaming);
      }
      out.put('}');
    }

    /** Writes the extension member {@code x-stream} of a streamed method. */
    private static void describe(JsonWriter out, Streaming streaming) {
      out.ascii(",\"x-stream\":{\"form\":");
      switch (streaming.form()) {
        case CALL -> out.string("call");
        case PARTIAL_RESULTS -> out.string("partialResults");
        case SUBSCRIPTION -> {
          out.string("subscription").ascii(",\"notification\":").string(streaming.notification());
          out.ascii(",\"unsubscribe\":").string(streaming.unsubscribe());
        }
      }
      out.put('}');
    }
  }
}
