package dev.repartee.telemetry;

import dev.repartee.ForwardingListener;
import dev.repartee.Layer;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.RefusedCall;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.balance.BalanceListener;
import dev.repartee.reconnect.ReconnectListener;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.propagation.TextMapPropagator;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Spans and metrics of calls for OpenTelemetry, on both sides: {@code
 * options = Telemetry.of(openTelemetry).instrument(options)}. The names follow the semantic
 * conventions for RPC and JSON-RPC, or for MCP.
 *
 * <p>Each call has a span and a duration, also one that is refused before its layers. The context of
 * a trace travels in the {@link Carrier}s. A server trusts the context of its callers. A malformed
 * or too long context is ignored or cut, and never fails a call. Values of tags are bounded: a
 * method that the service does not have is {@code _OTHER}.
 *
 * <p>An exporter that is slow or fails delays no call, since the SDK of OpenTelemetry exports on its
 * own threads. Immutable and thread-safe.
 */
public final class Telemetry {
  private static final String SCOPE = "dev.repartee.telemetry";

  /** Whether the API records nothing and passes no context on. */
  private final boolean off;

  private final Tracer tracer;
  private final Meter meter;
  private final Conventions conventions;
  private final CallObserver inbound;
  private final CallObserver outbound;
  private final ServerInstruments servers;
  private final ClientInstruments clients;
  private final Propagation propagation;

  /** The sessions of MCP; null with other conventions. */
  private final @Nullable McpSessions sessions;

  private Telemetry(Builder builder) {
    this.conventions = builder.conventions;
    this.off = isOff(builder.api);
    this.tracer = builder
        .api
        .tracerBuilder(SCOPE)
        .setInstrumentationVersion(Repartee.version())
        .build();
    this.meter = builder
        .api
        .meterBuilder(SCOPE)
        .setInstrumentationVersion(Repartee.version())
        .build();
    this.propagation =
        new Propagation(builder.api.getPropagators().getTextMapPropagator(), builder.carriers());
    this.sessions = conventions == Conventions.MCP ? new McpSessions(meter) : null;
    this.clients = new ClientInstruments(meter);
    this.inbound = observer(true);
    this.outbound = observer(false);
    this.servers = new ServerInstruments(meter);
  }

  private static boolean isOff(OpenTelemetry api) {
    return api.getTracerProvider() == TracerProvider.noop()
        && api.getMeterProvider() == MeterProvider.noop()
        && api.getPropagators().getTextMapPropagator() == TextMapPropagator.noop();
  }

  private CallObserver observer(boolean served) {
    boolean mcp = conventions == Conventions.MCP;
    CallFacts facts = new CallFacts(new Names(Names.ERRORS));
    Convention convention = mcp
        ? new McpConvention(new Names(Names.METHODS), new Names(Names.METHODS), facts)
        : new RpcConvention(new Names(Names.METHODS), facts);
    DoubleHistogram durations = meter
        .histogramBuilder(convention.durations(served))
        .setUnit("s")
        .setDescription(Durations.description(served))
        .setExplicitBucketBoundariesAdvice(Durations.BUCKETS)
        .build();
    return new CallObserver(
        tracer, durations, convention, propagation, served ? null : clients, sessions, mcp, !mcp);
  }

  /** Returns the telemetry with the defaults. */
  public static Telemetry of(OpenTelemetry api) {
    return builder(api).build();
  }

  /**
   * Returns a builder.
   *
   * @param api the API with its SDK; {@link OpenTelemetry#noop} observes nothing
   */
  public static Builder builder(OpenTelemetry api) {
    return new Builder(api);
  }

  /**
   * Returns the options with the layers of both sides, inside the present layers, and with a listener
   * that reports refused calls and passes all events on. Returns the given options for {@link
   * OpenTelemetry#noop}, also as the global instance without an SDK: calls cost nothing more then.
   */
  public Options instrument(Options options) {
    if (off) {
      return options;
    }
    return options.toBuilder()
        .dialect(propagation.reading(options.dialect()))
        .layer(inbound)
        .callLayer(outbound)
        .listener(listener(options.listener()))
        .build();
  }

  /** Returns the layer around handlers. */
  public Layer layer() {
    return inbound;
  }

  /** Returns the layer around outgoing calls. */
  public Layer callLayer() {
    return outbound;
  }

  /**
   * Returns a listener that records a span and a duration for each call that no layer sees. With the
   * conventions for MCP it also measures sessions: a connection is a session, and over HTTP each
   * session that the server has opened.
   *
   * @param next gets all events, too
   */
  public Listener listener(Listener next) {
    return new ForwardingListener(next) {
      @Override
      public void refused(RefusedCall call) {
        inbound.refused(call);
        super.refused(call);
      }

      @Override
      public void connected(Peer peer) {
        if (sessions != null) {
          sessions.opened(peer);
        }
        super.connected(peer);
      }

      @Override
      public void disconnected(Peer peer, @Nullable Throwable cause) {
        if (sessions != null) {
          sessions.closed(peer, cause);
        }
        super.disconnected(peer, cause);
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
    return ClientEvents.of(endpoint, next, clients);
  }

  /**
   * Returns a listener that counts the changes of each endpoint of a {@link
   * dev.repartee.balance.Balanced} peer: lost connections and those that replace them.
   *
   * @param next gets all events, too
   */
  public BalanceListener listener(BalanceListener next) {
    return ClientEvents.of(next, clients);
  }

  /**
   * Offers the {@linkplain Server#figures figures} of a server as metrics: connections, calls,
   * refusals by reason, errors, bytes, and the memory budgets of the process. They are read when the
   * SDK collects metrics, and cost nothing before.
   *
   * @return the metrics, which end when they are closed
   */
  public ServerMetrics observe(Server server) {
    servers.add(server);
    return () -> servers.remove(server);
  }

  /** Builds a {@link Telemetry}. Not thread-safe. */
  public static final class Builder {
    private final OpenTelemetry api;
    private Conventions conventions = Conventions.RPC;
    private Set<Carrier> carriers = EnumSet.noneOf(Carrier.class);

    private Builder(OpenTelemetry api) {
      this.api = Objects.requireNonNull(api);
    }

    /** Sets the conventions for names and attributes. The default is {@link Conventions#RPC}. */
    public Builder conventions(Conventions conventions) {
      this.conventions = Objects.requireNonNull(conventions);
      return this;
    }

    /**
     * Sets the places of the context in messages. A server reads all of them: it prefers {@link
     * Carrier#META} to {@link Carrier#MEMBERS}, and {@link Carrier#MEMBERS} to {@link
     * Carrier#HEADERS}. The default is {@link Carrier#HEADERS}; for MCP it is {@link
     * Carrier#HEADERS} and {@link Carrier#META}.
     */
    public Builder carriers(Carrier... carriers) {
      this.carriers = EnumSet.noneOf(Carrier.class);
      this.carriers.addAll(List.of(carriers));
      return this;
    }

    private Set<Carrier> carriers() {
      if (!carriers.isEmpty()) {
        return carriers;
      }
      return conventions == Conventions.MCP
          ? EnumSet.of(Carrier.HEADERS, Carrier.META)
          : EnumSet.of(Carrier.HEADERS);
    }

    /** Returns the telemetry. */
    public Telemetry build() {
      return new Telemetry(this);
    }
  }
}
