package dev.repartee.spring;

import dev.repartee.Call;
import dev.repartee.Handler;
import dev.repartee.Layer;
import dev.repartee.RpcException;
import dev.repartee.RpcMethod;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Observes calls: a timer and, if the application has tracing, a span for each, with the names of
 * the semantic conventions of OpenTelemetry for JSON-RPC. The context of a trace is read from the
 * header fields of a served call and written to those of an outgoing call.
 */
final class CallObservations implements Layer {
  private static final String OTHER = "_OTHER";

  /** The value of a tag that does not apply: all timers of a name need the same tags. */
  private static final String NONE = "none";

  private static final int CODES = 100;

  /** The codes of errors that are tags, at most {@code CODES}: a peer may answer with any number. */
  private final Set<Integer> codes = ConcurrentHashMap.newKeySet();

  private final ObservationRegistry registry;
  private final boolean serves;

  /**
   * Creates a layer.
   *
   * @param serves whether the calls are served, not made, by this side
   */
  CallObservations(ObservationRegistry registry, boolean serves) {
    this.registry = registry;
    this.serves = serves;
  }

  private static Observation.Context received(Call call, ObservationRegistry registry) {
    if (registry.getCurrentObservation() != null) {
      return new Observation.Context(); // a part of the HTTP request, which has read the header
    }
    ReceiverContext<Call> context = new ReceiverContext<>(Call::header, Kind.SERVER);
    context.setCarrier(call);
    return context;
  }

  private static Observation.Context sent(Call call) {
    SenderContext<Call> context = new SenderContext<>(
        (carrier, key, value) -> {
          if (carrier != null) {
            carrier.requestHeader(key, value);
          }
        },
        Kind.CLIENT);
    context.setCarrier(call);
    return context;
  }

  @Override
  public @Nullable Object handle(Call call, Handler next) throws Exception {
    if (registry.isNoop()) {
      return next.handle(call);
    }
    // A peer may send any number of names.
    String method = serves && !isServed(call) ? OTHER : call.method();
    Observation observation = Observation.createNotStarted(
            serves ? "rpc.server.call.duration" : "rpc.client.call.duration",
            () -> serves ? received(call, registry) : sent(call),
            registry)
        .contextualName(method)
        .lowCardinalityKeyValue("rpc.system.name", "jsonrpc")
        .lowCardinalityKeyValue("rpc.method", method)
        .lowCardinalityKeyValue("error.type", NONE)
        .lowCardinalityKeyValue("rpc.status_code", NONE)
        .start();
    return Layer.whenDone(
        call,
        c -> {
          Observation.Scope scope = observation.openScope();
          try {
            return next.handle(c);
          } finally {
            scope.close();
          }
        },
        (result, failure) -> {
          if (failure instanceof RpcException e) {
            String code = code(e.code());
            observation
                .lowCardinalityKeyValue("error.type", code)
                .lowCardinalityKeyValue("rpc.status_code", code)
                .error(failure);
          } else if (failure != null) {
            observation
                .lowCardinalityKeyValue("error.type", failure.getClass().getName())
                .error(failure);
          }
          observation.stop();
        });
  }

  private static boolean isServed(Call call) {
    RpcMethod method = call.rpcMethod();
    return method != null && method.isServed();
  }

  private String code(int code) {
    if (codes.size() < CODES) {
      codes.add(code);
    }
    return codes.contains(code) ? String.valueOf(code) : OTHER;
  }
}
