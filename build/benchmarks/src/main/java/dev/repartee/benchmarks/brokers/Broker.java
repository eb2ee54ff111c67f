package dev.repartee.benchmarks.brokers;

import dev.repartee.broker.server.BrokerServer;
import dev.repartee.broker.server.NatsServer;
import dev.repartee.broker.server.RabbitServer;
import java.io.IOException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The brokers, which the benchmark starts itself. */
public enum Broker {
  RABBITMQ(
      "RabbitMQ",
      "Client and worker take about the CPU time of the library. A confirm or a reply does not"
          + " wake the sender of the client any more unless it has something to send.",
      RabbitServer::missing,
      () -> RabbitServer.start("")),
  NATS(
      "NATS",
      "A client takes about the CPU time of the library, since a call is sent on the thread of its "
          + "caller. In the worker the library takes a fifth of the time to parse the two headers "
          + "of a call, its window and its deadline.",
      NatsServer::missing,
      () -> NatsServer.start("")),
  ZEROMQ(
      "ZeroMQ",
      "A call is handed to the thread of the sockets by its caller, and the calls and replies of a "
          + "burst are written together. A header with the key and the deadline makes a message "
          + "twice as long as that of the library.",
      () -> null,
      ZmqProxy::launch);

  final String label;

  /** The attempts to reach the goals; see {@link dev.repartee.benchmarks.report.Goal}. */
  final String tried;

  private final Supplier<@Nullable String> missing;
  private final Start start;

  /** Starts a broker. */
  private interface Start {
    BrokerServer run() throws IOException, InterruptedException;
  }

  Broker(String label, String tried, Supplier<@Nullable String> missing, Start start) {
    this.label = label;
    this.tried = tried;
    this.missing = missing;
    this.start = start;
  }

  /** Returns why this broker cannot be started; null if it is installed. */
  public @Nullable String missing() {
    return missing.get();
  }

  /** Starts a broker of this kind on loopback. */
  public BrokerServer start() throws IOException {
    try {
      return start.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while " + label + " starts", e);
    }
  }
}
