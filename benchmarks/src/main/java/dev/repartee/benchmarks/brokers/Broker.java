package dev.repartee.benchmarks.brokers;

import dev.repartee.broker.server.BrokerServer;
import dev.repartee.broker.server.NatsServer;
import dev.repartee.broker.server.RabbitServer;
import java.io.IOException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The brokers, which the benchmark starts itself. */
public enum Broker {
  RABBITMQ("RabbitMQ", RabbitServer::missing, () -> RabbitServer.start("")),
  NATS("NATS", NatsServer::missing, () -> NatsServer.start("")),
  ZEROMQ("ZeroMQ", () -> null, ZmqProxy::launch);

  final String label;
  private final Supplier<@Nullable String> missing;
  private final Start start;

  /** Starts a broker. */
  private interface Start {
    BrokerServer run() throws IOException, InterruptedException;
  }

  Broker(String label, Supplier<@Nullable String> missing, Start start) {
    this.label = label;
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
