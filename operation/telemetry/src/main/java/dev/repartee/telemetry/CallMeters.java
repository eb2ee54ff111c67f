package dev.repartee.telemetry;

import dev.repartee.ForwardingListener;
import dev.repartee.Layer;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.RefusedCall;
import dev.repartee.Server;
import dev.repartee.ServerFigures;
import dev.repartee.balance.BalanceListener;
import dev.repartee.reconnect.ReconnectListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;

/**
 * Metrics of calls for Micrometer, on both sides, with the names of {@link Telemetry}: {@code options
 * = CallMeters.of(registry).instrument(options)}. Micrometer needs the same tags on each meter of a
 * name: {@code error.type} and {@code rpc.status_code} are {@code none} without a failure. Thread-safe.
 */
public final class CallMeters {
  private static final String NONE = "none";

  /** The upper bounds of the buckets of a histogram. */
  private static final Duration[] BUCKETS = Durations.BUCKETS.stream()
      .map(seconds -> Duration.ofMillis(Math.round(seconds * 1000)))
      .toArray(Duration[]::new);

  private record Key(boolean served, String method, Outcome outcome) {}

  private final MeterRegistry registry;
  private final Names methods = new Names(Names.METHODS);
  private final Names errors = new Names(Names.ERRORS);
  private final LongAdder running = new LongAdder();
  private final ClientEvents events = new Events();

  /** The timers by side, method and outcome, which are bounded. */
  private final Map<Key, Timer> timers = new ConcurrentHashMap<>();

  private CallMeters(MeterRegistry registry) {
    this.registry = registry;
    Gauge.builder(ClientEvents.RUNNING, running, LongAdder::sum)
        .description(ClientEvents.RUNNING_TEXT)
        .strongReference(true)
        .register(registry);
  }

  /** Returns meters in a registry. */
  public static CallMeters of(MeterRegistry registry) {
    return new CallMeters(registry);
  }

  /**
   * Returns the options with the layers of both sides, inside the present layers, and with a listener
   * that counts refused calls and passes all events on.
   */
  public Options instrument(Options options) {
    return options.toBuilder()
        .layer(layer())
        .callLayer(callLayer())
        .listener(listener(options.listener()))
        .build();
  }

  /** Returns the layer around handlers. */
  public Layer layer() {
    return (call, next) -> {
      long start = System.nanoTime();
      String method = Names.served(call);
      return Outcome.whenServed(call, next, outcome -> record(true, method, outcome, start));
    };
  }

  /** Returns the layer around outgoing calls. */
  public Layer callLayer() {
    return (call, next) -> {
      long start = System.nanoTime();
      running.increment();
      return Layer.whenDone(call, next, (result, failure) -> {
        running.decrement();
        Outcome outcome = Outcome.of(failure);
        record(false, methods.called(call, outcome), outcome, start);
      });
    };
  }

  /**
   * Returns a listener that counts the calls that no layer sees.
   *
   * @param next gets all events, too
   */
  public Listener listener(Listener next) {
    return new ForwardingListener(next) {
      @Override
      public void refused(RefusedCall call) {
        timer(true, Names.served(call), Outcome.of(call.error())).record(Duration.ZERO);
        super.refused(call);
      }
    };
  }

  /**
   * Returns a listener that counts the lost connections of a peer that reconnects, and those that
   * replace them.
   *
   * @param endpoint the value of the tag, such as the URI without secrets
   * @param next gets all events, too
   */
  public ReconnectListener listener(String endpoint, ReconnectListener next) {
    return ClientEvents.of(endpoint, next, events);
  }

  /**
   * Returns a listener that counts the changes of each endpoint of a {@link
   * dev.repartee.balance.Balanced} peer: lost connections and those that replace them.
   *
   * @param next gets all events, too
   */
  public BalanceListener listener(BalanceListener next) {
    return ClientEvents.of(next, events);
  }

  /** Counts the events of clients. */
  private final class Events implements ClientEvents {
    private final Names endpoints = new Names(ENDPOINTS);

    @Override
    public void lost(String endpoint) {
      counter(LOST, LOST_TEXT, endpoint).increment();
    }

    @Override
    public void restored(String endpoint) {
      counter(RESTORED, RESTORED_TEXT, endpoint).increment();
    }

    private Counter counter(String name, String description, String endpoint) {
      return Counter.builder(name)
          .description(description)
          .tag(Figure.ENDPOINT, endpoints.admit(endpoint))
          .register(registry);
    }
  }

  private void record(boolean served, String method, Outcome outcome, long start) {
    timer(served, method, outcome).record(Duration.ofNanos(System.nanoTime() - start));
  }

  private Timer timer(boolean served, String method, Outcome outcome) {
    String type = outcome.type() == null ? NONE : errors.admit(outcome.type());
    String code = outcome.code() == null ? NONE : type;
    return timers.computeIfAbsent(
        new Key(served, method, new Outcome(code, type)), key -> register(served, method, key));
  }

  private Timer register(boolean served, String method, Key key) {
    return Timer.builder(Durations.name(served))
        .description(Durations.description(served))
        .tag("rpc.system.name", "jsonrpc")
        .tag("rpc.method", method)
        .tag("error.type", String.valueOf(key.outcome.type()))
        .tag("rpc.status_code", String.valueOf(key.outcome.code()))
        .serviceLevelObjectives(BUCKETS)
        .register(registry);
  }

  /**
   * Offers the {@linkplain Server#figures figures} of a server as function meters, as {@link
   * Telemetry#observe} does. Each reading of the registry reads them.
   *
   * @return the metrics; closing them removes the meters of the server
   */
  public ServerMetrics observe(Server server) {
    Tags tags = Tags.of(Figure.ENDPOINT, server.endpoint().shown());
    List<Meter> meters = new ArrayList<>();
    for (Figure<ServerFigures> figure : Figure.OF_SERVER) {
      for (String value : figure.read().apply(server.figures()).keySet()) {
        meters.add(
            register(figure, value, tags, server, now -> read(figure, now.figures(), value)));
      }
    }
    Figure.Budgets budgets = Figure.Budgets.OF_PROCESS;
    for (Figure<Figure.Budgets> figure : Figure.OF_PROCESS) {
      for (String value : figure.read().apply(budgets).keySet()) {
        register(figure, value, Tags.empty(), budgets, now -> read(figure, now, value));
      }
    }
    return () -> meters.forEach(registry::remove);
  }

  private static <S> double read(Figure<S> figure, S source, String value) {
    return figure.read().apply(source).getOrDefault(value, 0L);
  }

  private <T> Meter register(
      Figure<?> figure, String value, Tags tags, T source, ToDoubleFunction<T> read) {
    Tags all = figure.tag().isEmpty() ? tags : tags.and(figure.tag(), value);
    String unit = figure.unit().equals("By") ? "bytes" : null;
    return figure.grows()
        ? FunctionCounter.builder(figure.name(), source, read)
            .description(figure.description())
            .baseUnit(unit)
            .tags(all)
            .register(registry)
        : Gauge.builder(figure.name(), source, read)
            .description(figure.description())
            .baseUnit(unit)
            .tags(all)
            .strongReference(true)
            .register(registry);
  }
}
