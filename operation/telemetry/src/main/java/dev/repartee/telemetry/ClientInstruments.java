package dev.repartee.telemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.LongUpDownCounter;
import io.opentelemetry.api.metrics.Meter;

/** The instruments of clients. Thread-safe. */
final class ClientInstruments implements ClientEvents {
  private static final AttributeKey<String> ENDPOINT = AttributeKey.stringKey(Figure.ENDPOINT);

  private final Names endpoints = new Names(ENDPOINTS);
  private final LongUpDownCounter running;
  private final LongCounter lost;
  private final LongCounter restored;

  ClientInstruments(Meter meter) {
    running = meter
        .upDownCounterBuilder(RUNNING)
        .setUnit("{call}")
        .setDescription(RUNNING_TEXT)
        .build();
    lost = counter(meter, LOST, LOST_TEXT);
    restored = counter(meter, RESTORED, RESTORED_TEXT);
  }

  private static LongCounter counter(Meter meter, String name, String description) {
    return meter
        .counterBuilder(name)
        .setUnit("{connection}")
        .setDescription(description)
        .build();
  }

  /** Counts an outgoing call until {@link #ended}. */
  void begun() {
    running.add(1);
  }

  /** Counts the end of an outgoing call. */
  void ended() {
    running.add(-1);
  }

  @Override
  public void lost(String endpoint) {
    lost.add(1, tags(endpoint));
  }

  @Override
  public void restored(String endpoint) {
    restored.add(1, tags(endpoint));
  }

  private Attributes tags(String endpoint) {
    return Attributes.of(ENDPOINT, endpoints.admit(endpoint));
  }
}
