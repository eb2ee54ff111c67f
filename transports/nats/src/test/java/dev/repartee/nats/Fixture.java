package dev.repartee.nats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.broker.contract.BrokerFixture;
import dev.repartee.broker.server.NatsServer;
import io.nats.client.Connection;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.Subscription;
import java.time.Duration;

/** Connections to a NATS server, in addition to workers and clients. */
abstract class Fixture extends BrokerFixture {
  static final Duration LONG = Duration.ofSeconds(60);

  /**
   * Starts a server; skips the test if it is not installed.
   *
   * @param config see {@link NatsServer#start(String)}
   */
  static NatsServer server(String config) throws Exception {
    String missing = NatsServer.missing();
    assumeTrue(missing == null, missing);
    return NatsServer.start(config);
  }

  /** Connects a plain NATS client, without this library. */
  Connection plain(NatsServer server) throws Exception {
    return closing(Nats.connect("nats://127.0.0.1:" + server.port()));
  }

  /** Subscribes, and waits until the server has registered the subscription. */
  static Subscription subscribe(Connection connection, String subject) throws Exception {
    Subscription subscription = connection.subscribe(subject);
    connection.flush(LONG);
    return subscription;
  }

  static String text(Message message) {
    assertThat(message).isNotNull();
    return new String(message.getData(), UTF_8);
  }
}
