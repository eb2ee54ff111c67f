package dev.repartee.spring;

import dev.repartee.Call;
import dev.repartee.Handler;
import dev.repartee.Layer;
import dev.repartee.RpcException;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import org.jspecify.annotations.Nullable;

/**
 * Observes calls: a timer and, if the application has tracing, a span for each. The context of a
 * trace is read from the header fields of a served call and written to those of an outgoing call.
 */
final class CallObservations implements Layer {
  private static final String OTHER = "_OTHER";

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
    // A stranger may send any number of names.
    String method = serves && call.rpcMethod() == null ? OTHER : call.method();
    Observation observation = Observation.createNotStarted(
            serves ? "rpc.server.call.duration" : "rpc.client.call.duration",
            () -> serves ? received(call, registry) : sent(call),
            registry)
        .contextualName(method)
        .lowCardinalityKeyValue("rpc.system", "jsonrpc")
        .lowCardinalityKeyValue("rpc.method", method)
        .lowCardinalityKeyValue("error.type", "none")
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
          if (failure != null) {
            observation.lowCardinalityKeyValue("error.type", type(failure)).error(failure);
          }
          observation.stop();
        });
  }

  private static String type(Throwable failure) {
    return failure instanceof RpcException e
        ? String.valueOf(e.code())
        : failure.getClass().getSimpleName();
  }
}
