package dev.repartee.xmpp;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An installed Prosody on loopback, with its own folder and port. It has the accounts ann, eve and
 * math, all with the password {@code secret}; ann and math are contacts.
 */
final class Prosody implements AutoCloseable {
  /** The record of the password {@code secret}. */
  private static final String ACCOUNT = """
      return {
        salt = "a-salt-of-the-test"; iteration_count = 4096;
        stored_key = "1754a9135c44c594d81259f97b990fee96add6ca";
        server_key = "bbf64026d147d5f37e4d77e36752c4b2225edf19";
      };
      """;

  private final Path folder;
  private final int port;
  private @Nullable Process process;

  private Prosody(Path folder, int port) {
    this.folder = folder;
    this.port = port;
  }

  /**
   * Starts a server; skips the test where the command is missing.
   *
   * @param config more lines of its configuration
   */
  static Prosody start(String config) throws Exception {
    boolean isInstalled = Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(each -> new File(each, "prosody").canExecute());
    assumeTrue(isInstalled, "prosody is not installed");
    Path folder = Files.createTempDirectory("prosody");
    Path accounts = Files.createDirectories(folder.resolve("data/localhost/accounts"));
    for (String name : new String[] {"ann", "eve", "math"}) {
      Files.writeString(accounts.resolve(name + ".dat"), ACCOUNT);
    }
    Path rosters = Files.createDirectories(folder.resolve("data/localhost/roster"));
    contact(rosters.resolve("math.dat"), "ann");
    contact(rosters.resolve("ann.dat"), "math");
    Files.writeString(folder.resolve("password"), "secret\n");
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Files.writeString(folder.resolve("config.lua"), """
        run_as_root = true
        data_path = "FOLDER/data"
        interfaces = { "127.0.0.1" }
        c2s_ports = { PORT }
        s2s_ports = {}
        modules_enabled = { "roster"; "saslauth"; "tls"; "disco"; "ping" }
        modules_disabled = { "s2s" }
        authentication = "internal_hashed"
        c2s_require_encryption = false
        log = { info = "*console" }
        CONFIG
        VirtualHost "localhost"
        """.replace("FOLDER", folder.toString())
        .replace("PORT", String.valueOf(port))
        .replace("CONFIG", config));
    Prosody server = new Prosody(folder, port);
    server.start();
    return server;
  }

  private static void contact(Path file, String name) throws IOException {
    Files.writeString(
        file,
        "return { ['" + name + "@localhost'] = { subscription = 'both'; groups = {} };"
            + " [false] = { version = 1 } };");
  }

  /** Starts the server again on the same port, and waits until it takes connections. */
  void start() throws IOException, InterruptedException {
    Path log = folder.resolve("log");
    Files.deleteIfExists(log);
    Process started = new ProcessBuilder(
            "prosody", "-F", "--config", folder.resolve("config.lua").toString())
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .start();
    process = started;
    while (true) {
      boolean ended = started.waitFor(10, TimeUnit.MILLISECONDS);
      String output = Files.exists(log) ? Files.readString(log) : "";
      if (output.contains("Activated service 'c2s' on [127.0.0.1]:" + port)) {
        return;
      }
      if (ended) {
        throw new IOException(output);
      }
    }
  }

  int port() {
    return port;
  }

  Path folder() {
    return folder;
  }

  /** Returns the URI of a service of the account math. */
  String service(String resource) {
    return "xmpp:math@localhost/" + resource + options();
  }

  /** Returns the URI of a client with an account. */
  String client(String account, String resource) {
    return "xmpp://" + account + "@localhost/math@localhost/" + resource + options();
  }

  /** Returns the URI of a service that uses TLS. */
  String service(String resource, Certificates certificates) {
    return secure(service(resource), certificates);
  }

  /** Returns the URI of a client that uses TLS. */
  String client(String account, String resource, Certificates certificates) {
    return secure(client(account, resource), certificates);
  }

  private static String secure(String uri, Certificates certificates) {
    return uri.replace("tls=off", "tls=required") + "&ca=" + certificates.ca();
  }

  private String options() {
    return "#tls=off&server=127.0.0.1:" + port + "&password-file=" + folder.resolve("password");
  }

  /** Kills the server, as a loss of power does. */
  void kill() throws InterruptedException {
    Process running = process;
    if (running != null) {
      running.destroyForcibly().waitFor();
    }
  }

  /** Stops the server, or lets it go on: it answers nothing while it is stopped. */
  void signal(String name) throws IOException, InterruptedException {
    Process running = process;
    if (running != null) {
      new ProcessBuilder("kill", "-" + name, String.valueOf(running.pid()))
          .start()
          .waitFor();
    }
  }

  @Override
  public void close() throws IOException {
    try {
      kill();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the server ends", e);
    }
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    }
  }
}
