package shop;

import dev.repartee.Call;
import dev.repartee.Layer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;

/** Records the duration of each call by the names of OpenTelemetry. */
final class CallMetrics implements Layer.Timing {
  private final MeterRegistry registry;

  CallMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public void ended(Call call, Duration duration, Throwable failure) {
    Timer.builder("rpc.server.call.duration")
        .tag("rpc.system.name", "jsonrpc")
        .tag("rpc.method", call.rpcMethod() == null ? "_OTHER" : call.method())
        .tag("error.type", failure == null ? "none" : failure.getClass().getName())
        .register(registry)
        .record(duration);
  }
}
