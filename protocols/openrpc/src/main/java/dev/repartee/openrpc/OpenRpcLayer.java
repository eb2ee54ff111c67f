package dev.repartee.openrpc;

import dev.repartee.Call;
import dev.repartee.Handler;
import dev.repartee.Layer;
import dev.repartee.Listener;
import dev.repartee.ProtocolException;
import dev.repartee.RpcException;
import dev.repartee.RpcMethod;
import dev.repartee.internal.TextChecks;
import dev.repartee.json.Json;
import dev.repartee.message.RpcError;
import dev.repartee.openrpc.schema.SchemaValidator.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A layer that checks calls against an OpenRPC document. Add it with {@link
 * dev.repartee.Options.Builder#layer} to check the calls that this side serves, or with {@link
 * dev.repartee.Options.Builder#callLayer} to check outgoing calls. Thread-safe.
 *
 * <p><b>Params</b> that do not fit are refused with invalid params (-32602). The data is an array of
 * at most five objects such as {@code {"pointer":"/0/size","reason":"Value is not an integer"}}; the
 * pointer is a JSON pointer into the params. Params fit if each parameter that is required is
 * present, each value fits the schema of its parameter, and no others are present. In an array,
 * null counts as absent for an optional parameter. A notification that does not fit is dropped, and
 * an outgoing one fails.
 *
 * <p><b>Results</b> that do not fit are passed on and reported to a {@link Listener}, unless {@link
 * Builder#results} decides otherwise. The items of streams are not checked.
 *
 * <p>Calls of methods that the document does not describe pass unchecked. The check runs on the
 * thread of the handler; its time and memory are limited by the sizes of the value and the schema,
 * and the time by {@link Builder#time}. Values that need more count as values that do not fit.
 *
 * <p>A schema that is not valid fits every value. So does a schema of a {@link OpenRpc#lenient}
 * document with a reference that has no target; the first call of its method is reported to {@link
 * Listener#notice}, with the JSON pointer.
 */
@SuppressWarnings("exports") // only core uses TextChecks
public final class OpenRpcLayer implements Layer, TextChecks {
  /** The treatment of results that do not fit. */
  public enum Results {
    /** They are not checked. */
    UNCHECKED,
    /** They are passed on, and reported to {@link Listener#notice}. */
    REPORTED,
    /**
     * They fail the call. On a server the caller gets an internal error (-32603) and {@link
     * Listener#failed} the faults; on a client the call fails with a {@link ProtocolException}.
     */
    REFUSED
  }

  private final OpenRpc document;

  /** The checks of the methods of the document that were called. */
  private final Map<String, MethodCheck> checks = new ConcurrentHashMap<>();

  private final Results results;
  private final Listener listener;
  private final Duration time;

  private OpenRpcLayer(Builder builder) {
    this.time = builder.time;
    this.document = builder.document;
    this.results = builder.results;
    this.listener = builder.listener;
  }

  /** Starts a builder of a layer that checks calls against a document. */
  public static Builder builder(OpenRpc document) {
    return new Builder(document);
  }

  /** A builder of layers. Not thread-safe. */
  public static final class Builder {
    private final OpenRpc document;
    private Results results = Results.REPORTED;
    private Listener listener = Listener.LOG;
    private Duration time = Duration.ofSeconds(30);

    private Builder(OpenRpc document) {
      this.document = document;
    }

    /** Sets the treatment of results that do not fit; reported by default. */
    public Builder results(Results results) {
      this.results = results;
      return this;
    }

    /**
     * Sets the listener that results and unchecked methods are reported to; {@link Listener#LOG} by
     * default.
     */
    public Builder listener(Listener listener) {
      this.listener = listener;
      return this;
    }

    /**
     * Sets the maximum time to check a value; 30 seconds by default. Choose a shorter one if handlers
     * run on threads that read connections, as in a bridge: such a check delays other connections.
     */
    public Builder time(Duration time) {
      this.time = time;
      return this;
    }

    /** Returns the layer. */
    public OpenRpcLayer build() {
      return new OpenRpcLayer(this);
    }
  }

  @Override
  public @Nullable Object handle(Call call, Handler next) throws Exception {
    boolean isUnknown = call.rpcMethod() == null && call.id() != null; // answered with -32601
    MethodCheck check = isUnknown ? null : check(call);
    if (check == null) {
      return next.handle(call);
    }
    List<Fault> faults = check.ofParams(call.params());
    if (!faults.isEmpty()) {
      throw new RpcException(RpcError.INVALID_PARAMS, "Invalid params", data(faults));
    }
    RpcMethod method = call.rpcMethod();
    // The document of a stream need not have x-stream.
    boolean isStream = method != null && method.streaming() != null;
    if (isStream || !check.checksResult()) {
      return next.handle(call);
    }
    boolean isRequest = call.id() != null;
    boolean isOutgoing = method == null;
    return Layer.whenDone(call, next, (result, failure) -> {
      // A client that converts the result to nothing, or sends a notification, has null.
      if (failure == null && (isRequest || isOutgoing && result != null)) {
        check(call, check, result);
      }
    });
  }

  /** Returns null before the first call of a method, which may report why it is not checked. */
  @Override
  public @Nullable OfMethod ofMethod(String name) {
    return checks.get(name);
  }

  private @Nullable MethodCheck check(Call call) {
    MethodCheck check = checks.get(call.method());
    MethodDescriptor method = check == null ? document.method(call.method()) : null;
    if (method == null) {
      return check;
    }
    MethodCheck made =
        new MethodCheck(method, document.references(), time, results != Results.UNCHECKED);
    MethodCheck other = checks.putIfAbsent(method.name(), made);
    if (other != null) {
      return other;
    }
    for (String reason : made.unchecked()) {
      listener.notice(
          call.channel(), "calls of '" + method.name() + "' are not checked as a whole: " + reason);
    }
    return made;
  }

  private void check(Call call, MethodCheck check, @Nullable Object result) {
    List<Fault> faults = check.ofResult(json(call, result));
    if (faults.isEmpty()) {
      return;
    }
    String sentence = "the result of '" + call.method() + "' does not fit its schema: "
        + faults.stream()
            .map(fault -> fault.pointer().isEmpty()
                ? fault.reason()
                : fault.pointer() + ": " + fault.reason())
            .collect(Collectors.joining("; "));
    if (results == Results.REPORTED) {
      listener.notice(call.channel(), sentence);
    } else if (call.id() != null) {
      throw new IllegalStateException(sentence);
    } else {
      throw new ProtocolException(sentence);
    }
  }

  /** Returns the JSON of a result that a method has returned, or that a call was answered with. */
  private static Json json(Call call, @Nullable Object result) {
    if (result instanceof Json json) {
      return json;
    }
    RpcMethod method = call.rpcMethod();
    return method == null ? call.types().toJson(result) : method.write(result);
  }

  private static Json data(List<Fault> faults) {
    List<Map<String, String>> data = new ArrayList<>();
    for (Fault fault : faults) {
      Map<String, String> entry = new LinkedHashMap<>(); // in this order on the wire
      entry.put("pointer", fault.pointer());
      entry.put("reason", fault.reason());
      data.add(entry);
    }
    return Json.of(data);
  }
}
