package dev.repartee.nats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.broker.contract.BrokerContract.Methods;
import dev.repartee.broker.server.NatsServer;
import dev.repartee.limits.Limits;
import dev.repartee.transport.ChannelInfo;
import io.nats.client.Connection;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.Subscription;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/** Workers and clients that are closed after each test, and their reports. */
abstract class Fixture {
  static final Duration LONG = Duration.ofSeconds(60);

  /** The reports of the workers to their operator. */
  final BlockingQueue<String> reports = new LinkedBlockingQueue<>();

  final Methods methods = new Methods("a");

  private final List<AutoCloseable> resources = new ArrayList<>();

  <T extends AutoCloseable> T closing(T resource) {
    resources.add(resource);
    return resource;
  }

  Server serve(String uri, Object service) throws IOException {
    return serve(uri, service, Limits.DEFAULT);
  }

  Server serve(String uri, Object service, Limits limits) throws IOException {
    Server server = Repartee.listen(uri, Service.of(service), options(limits));
    closing(() -> server.close(Duration.ZERO));
    return server;
  }

  Options options(Limits limits) {
    return Options.builder()
        .limits(limits)
        .listener(new Listener() {
          @Override
          public void violation(ChannelInfo channel, String violation) {
            reports.add(violation);
          }
        })
        .build();
  }

  Peer client(String uri) throws IOException {
    return closing(Repartee.connect(uri, Service.NONE, options(Limits.DEFAULT)));
  }

  /** Waits for a report that contains a text. */
  String report(String text) throws InterruptedException {
    while (true) {
      String report = reports.poll(60, TimeUnit.SECONDS);
      assertThat(report).describedAs("a report with '%s'", text).isNotNull();
      if (report.contains(text)) {
        return report;
      }
    }
  }

  /** Waits until a method reports itself. */
  void seen(String what) throws InterruptedException {
    assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo(what);
  }

  /**
   * Starts a server; skips the test where it is not installed.
   *
   * @param config see {@link NatsServer#start(String)}
   */
  static NatsServer server(String config) throws Exception {
    String missing = NatsServer.missing();
    assumeTrue(missing == null, missing);
    return NatsServer.start(config);
  }

  /** Connects a client of NATS that knows nothing of this library. */
  Connection plain(NatsServer server) throws Exception {
    return closing(Nats.connect("nats://127.0.0.1:" + server.port()));
  }

  /** Subscribes, and waits until the server knows of it. */
  static Subscription subscribe(Connection connection, String subject) throws Exception {
    Subscription subscription = connection.subscribe(subject);
    connection.flush(LONG);
    return subscription;
  }

  static String text(Message message) {
    assertThat(message).isNotNull();
    return new String(message.getData(), UTF_8);
  }

  @AfterEach
  void release() throws Exception {
    methods.open.countDown();
    for (int i = resources.size() - 1; i >= 0; i--) {
      resources.get(i).close();
    }
  }
}
