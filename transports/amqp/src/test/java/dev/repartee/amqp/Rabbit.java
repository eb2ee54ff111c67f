package dev.repartee.amqp;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.broker.contract.Certificates;
import dev.repartee.broker.server.Ports;
import dev.repartee.broker.server.RabbitServer;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The RabbitMQ server of all tests of the JVM, also with TLS. It ends with the JVM. */
record Rabbit(RabbitServer server, int tlsPort, Certificates certificates) {
  private static @Nullable Rabbit shared;

  /** Returns the running server; skips the test if it is not installed. */
  static synchronized Rabbit shared() {
    String missing = RabbitServer.missing();
    assumeTrue(missing == null, missing);
    try {
      Rabbit rabbit = shared;
      if (rabbit == null) {
        rabbit = start();
        shared = rabbit;
      }
      return rabbit;
    } catch (Exception e) {
      throw new IllegalStateException("RabbitMQ does not start", e);
    }
  }

  private static Rabbit start() throws Exception {
    Path folder = Files.createTempDirectory("certificates");
    Certificates certificates = new Certificates(folder);
    Certificates.Identity identity = certificates.valid("server");
    Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
    int tlsPort = Ports.free();
    RabbitServer server = RabbitServer.start(
        """
        listeners.ssl.1 = 127.0.0.1:%d
        ssl_options.cacertfile = %s
        ssl_options.certfile = %s
        ssl_options.keyfile = %s
        ssl_options.verify = verify_peer
        ssl_options.fail_if_no_peer_cert = true
        """.formatted(tlsPort, certificates.ca(), identity.cert(), identity.key()), tlsPort);
    return new Rabbit(server, tlsPort, certificates);
  }

  /** Deletes a folder of files. */
  private static void delete(Path folder) {
    for (File file : Objects.requireNonNull(folder.toFile().listFiles())) {
      file.delete();
    }
    folder.toFile().delete();
  }

  int port() {
    return server.port();
  }

  String uri(String queue) {
    return server.uri(queue);
  }
}
