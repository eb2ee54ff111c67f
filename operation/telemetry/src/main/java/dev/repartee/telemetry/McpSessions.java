package dev.repartee.telemetry;

import dev.repartee.Peer;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.Meter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Measures the sessions of MCP on both sides. Thread-safe. */
final class McpSessions {
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The buckets that the conventions for MCP advise. */
  private static final List<Double> BUCKETS =
      List.of(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0);

  /** The calls that a client serves. Any other call is served by a server. */
  private static final Set<String> OF_CLIENTS =
      Set.of("ping", "roots/list", "sampling/createMessage", "elicitation/create");

  private static final class Session {
    final long start = System.nanoTime();
    volatile boolean isServer;
  }

  private final Map<Peer, Session> open = new ConcurrentHashMap<>();
  private final Names errors = new Names(Names.ERRORS);
  private final DoubleHistogram served;
  private final DoubleHistogram used;

  McpSessions(Meter meter) {
    served =
        histogram(meter, "server", "The duration of the MCP session as observed on the server");
    used = histogram(meter, "client", "The duration of the MCP session as observed on the client");
  }

  private static DoubleHistogram histogram(Meter meter, String side, String description) {
    return meter
        .histogramBuilder("mcp." + side + ".session.duration")
        .setUnit("s")
        .setDescription(description)
        .setExplicitBucketBoundariesAdvice(BUCKETS)
        .build();
  }

  void opened(Peer peer) {
    open.put(peer, new Session());
  }

  /**
   * Records a request that this side serves. Served calls show the side; outgoing calls do not,
   * because a peer that reconnects makes them on behalf of another peer.
   */
  void served(Peer peer, String method) {
    Session session = open.get(peer);
    if (session != null && !session.isServer && !OF_CLIENTS.contains(method)) {
      session.isServer = true;
    }
  }

  void closed(Peer peer, @Nullable Throwable cause) {
    Session session = open.remove(peer);
    if (session == null) {
      return;
    }
    AttributesBuilder attributes = Attributes.builder();
    String transport = McpConvention.transport(peer.channel());
    if (transport != null) {
      attributes.put(McpConvention.TRANSPORT, transport);
    }
    if (cause != null) {
      attributes.put(CallFacts.ERROR_TYPE, errors.admit(cause.getClass().getName()));
    }
    boolean isClient = !session.isServer && peer.flow().answers() > 0;
    (isClient ? used : served)
        .record((System.nanoTime() - session.start) / NANOS, attributes.build());
  }
}
