package dev.repartee.amqp;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.broker.contract.Certificates;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A RabbitMQ server on loopback, with its own folder and ports. It is started once for all tests of
 * the JVM and ends with it.
 */
final class RabbitServer {
  /** The script of Debian's package that starts the server as the current user. */
  private static final File COMMAND = new File("/usr/lib/rabbitmq/bin/rabbitmq-server");

  private static @Nullable RabbitServer shared;

  private final Path folder;
  private final int port = freePort();
  private final int tlsPort = freePort();
  private final int distribution = freePort();
  private final int mapper = freePort();
  private final Certificates certificates;
  private final Certificates.Identity identity;
  private @Nullable Process process;

  /** The port mapper of Erlang, which the server would start as a daemon that stays. */
  private @Nullable Process mapping;

  private RabbitServer() throws Exception {
    folder = Files.createTempDirectory("rabbit");
    certificates = new Certificates(folder);
    identity = certificates.valid("server");
    Runtime.getRuntime().addShutdownHook(new Thread(this::remove));
  }

  /** Returns the running server; skips the test where the command is missing. */
  static synchronized RabbitServer shared() {
    assumeTrue(COMMAND.canExecute(), "rabbitmq-server is not installed: there is no " + COMMAND);
    try {
      RabbitServer server = shared;
      if (server == null) {
        server = new RabbitServer();
        shared = server;
        server.start();
      }
      return server;
    } catch (Exception e) {
      throw new IllegalStateException("RabbitMQ does not start", e);
    }
  }

  int port() {
    return port;
  }

  int tlsPort() {
    return tlsPort;
  }

  Certificates certificates() {
    return certificates;
  }

  String uri(String queue) {
    return "amqp://guest@127.0.0.1:" + port + "/" + queue;
  }

  /** Starts the server, and waits until it takes connections. */
  void start() throws IOException, InterruptedException {
    Path config = folder.resolve("rabbitmq.conf");
    Files.writeString(
        config, """
        listeners.tcp.1 = 127.0.0.1:%d
        listeners.ssl.1 = 127.0.0.1:%d
        ssl_options.cacertfile = %s
        ssl_options.certfile = %s
        ssl_options.keyfile = %s
        ssl_options.verify = verify_peer
        ssl_options.fail_if_no_peer_cert = true
        log.file.level = warning
        """.formatted(port, tlsPort, certificates.ca(), identity.cert(), identity.key()));
    Files.writeString(folder.resolve("plugins"), "[].\n");
    if (mapping == null) {
      Process started = new ProcessBuilder("epmd", "-address", "127.0.0.1", "-port", "" + mapper)
          .redirectErrorStream(true)
          .redirectOutput(folder.resolve("output").toFile())
          .start();
      mapping = started;
      await(started, mapper);
    }
    ProcessBuilder builder = new ProcessBuilder(COMMAND.getPath())
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("output").toFile());
    builder
        .environment()
        .putAll(Map.ofEntries(
            Map.entry("HOME", folder.toString()),
            Map.entry("RABBITMQ_NODENAME", "repartee-" + port + "@localhost"),
            Map.entry("RABBITMQ_MNESIA_BASE", folder.resolve("data").toString()),
            Map.entry("RABBITMQ_LOG_BASE", folder.resolve("log").toString()),
            Map.entry("RABBITMQ_ENABLED_PLUGINS_FILE", folder.resolve("plugins").toString()),
            Map.entry("RABBITMQ_CONFIG_FILE", config.toString()),
            Map.entry(
                "RABBITMQ_GENERATED_CONFIG_DIR", folder.resolve("generated").toString()),
            Map.entry("RABBITMQ_PID_FILE", folder.resolve("pid").toString()),
            Map.entry("RABBITMQ_CONF_ENV_FILE", "/dev/null"),
            Map.entry("RABBITMQ_DIST_PORT", String.valueOf(distribution)),
            Map.entry("ERL_EPMD_ADDRESS", "127.0.0.1"),
            Map.entry("ERL_EPMD_PORT", String.valueOf(mapper)),
            Map.entry("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "+S 2:2")));
    Process started = builder.start();
    process = started;
    await(started, port);
  }

  private void await(Process started, int port) throws IOException, InterruptedException {
    while (!answers(port)) {
      if (started.waitFor(50, TimeUnit.MILLISECONDS)) {
        throw new IOException("it has ended: " + Files.readString(folder.resolve("output")));
      }
    }
  }

  private static boolean answers(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Kills the server, as a loss of power does. */
  void kill() throws InterruptedException {
    Process running = process;
    if (running != null) {
      running.descendants().forEach(ProcessHandle::destroyForcibly);
      running.destroyForcibly().waitFor();
    }
  }

  private void remove() {
    try {
      kill();
      Process mapper = mapping;
      if (mapper != null) {
        mapper.destroyForcibly().waitFor();
      }
      try (Stream<Path> files = Files.walk(folder)) {
        files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
      }
    } catch (IOException | InterruptedException e) {
      // The folder is in the folder of temporary files.
    }
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
