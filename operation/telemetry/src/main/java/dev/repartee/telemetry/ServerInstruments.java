package dev.repartee.telemetry;

import dev.repartee.Server;
import dev.repartee.ServerFigures;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.metrics.BatchCallback;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableLongMeasurement;
import io.opentelemetry.api.metrics.ObservableMeasurement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The observable instruments of servers. Nothing is counted here: a collection reads the figures of
 * each server. Thread-safe.
 */
final class ServerInstruments {
  private static final AttributeKey<String> ENDPOINT = AttributeKey.stringKey(Figure.ENDPOINT);

  private final Meter meter;

  /** The attributes of the observed servers. The callback reads them without a lock. */
  private final Map<Server, Attributes> servers = new ConcurrentHashMap<>();

  /** Guarded by this. */
  private @Nullable BatchCallback callback;

  ServerInstruments(Meter meter) {
    this.meter = meter;
  }

  /** Adds a server. */
  synchronized void add(Server server) {
    servers.put(server, Attributes.of(ENDPOINT, server.endpoint().shown()));
    if (callback == null) {
      callback = register();
    }
  }

  /** Removes a server. */
  synchronized void remove(Server server) {
    servers.remove(server);
    if (servers.isEmpty() && callback != null) {
      callback.close();
      callback = null;
    }
  }

  private BatchCallback register() {
    Map<Figure<ServerFigures>, ObservableLongMeasurement> ofServers = new LinkedHashMap<>();
    Map<Figure<Figure.Budgets>, ObservableLongMeasurement> ofProcess = new LinkedHashMap<>();
    Figure.OF_SERVER.forEach(figure -> ofServers.put(figure, observer(figure)));
    Figure.OF_PROCESS.forEach(figure -> ofProcess.put(figure, observer(figure)));
    List<ObservableMeasurement> all = new ArrayList<>(ofServers.values());
    all.addAll(ofProcess.values());
    return meter.batchCallback(
        () -> {
          servers.forEach((server, attributes) -> {
            ServerFigures now = server.figures();
            ofServers.forEach((figure, to) -> record(figure, now, attributes, to));
          });
          ofProcess.forEach(
              (figure, to) -> record(figure, Figure.Budgets.OF_PROCESS, Attributes.empty(), to));
        },
        all.get(0),
        all.subList(1, all.size()).toArray(ObservableMeasurement[]::new));
  }

  private ObservableLongMeasurement observer(Figure<?> figure) {
    return figure.grows()
        ? meter
            .counterBuilder(figure.name())
            .setUnit(figure.unit())
            .setDescription(figure.description())
            .buildObserver()
        : meter
            .upDownCounterBuilder(figure.name())
            .setUnit(figure.unit())
            .setDescription(figure.description())
            .buildObserver();
  }

  private static <S> void record(
      Figure<S> figure, S source, Attributes attributes, ObservableLongMeasurement to) {
    figure.read().apply(source).forEach((tag, value) -> {
      if (figure.tag().isEmpty()) {
        to.record(value, attributes);
      } else {
        AttributesBuilder tagged = attributes.toBuilder();
        to.record(value, tagged.put(figure.tag(), tag).build());
      }
    });
  }
}
