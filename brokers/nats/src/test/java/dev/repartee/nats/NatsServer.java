package dev.repartee.nats;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An installed NATS server on loopback, with its own folder and port. */
final class NatsServer implements AutoCloseable {
  private static final List<String> FOLDERS = List.of("/usr/sbin", "/usr/bin", "/usr/local/bin");
  private static final Pattern LISTENS =
      Pattern.compile("for client connections on 127.0.0.1:([0-9]+)");

  private final File command;
  private final Path folder;
  private final String config;
  private int port = -1;
  private @Nullable Process process;

  private NatsServer(File command, String config) throws IOException {
    this.command = command;
    this.folder = Files.createTempDirectory("nats");
    this.config = config;
  }

  /**
   * Starts a server; skips the test where the command is missing.
   *
   * @param config more lines of its configuration; {@code FOLDER} stands for a folder of its own
   */
  static NatsServer start(String config) throws Exception {
    File command = Stream.concat(
            Stream.of(System.getenv("PATH").split(File.pathSeparator)), FOLDERS.stream())
        .map(each -> new File(each, "nats-server"))
        .filter(File::canExecute)
        .findFirst()
        .orElse(null);
    assumeTrue(command != null, "nats-server is not installed");
    NatsServer server = new NatsServer(command, config);
    server.start();
    return server;
  }

  /** Starts the server again on the same port, and waits until it takes connections. */
  void start() throws IOException, InterruptedException {
    Path log = folder.resolve("log");
    Path file = folder.resolve("config");
    Files.deleteIfExists(log);
    Files.writeString(
        file,
        "listen: 127.0.0.1:" + port + "\nmax_payload: 4MB\n"
            + config.replace("FOLDER", folder.toString()));
    Process started = new ProcessBuilder(command.getPath(), "-c", file.toString())
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .start();
    process = started;
    while (true) {
      boolean ended = started.waitFor(10, TimeUnit.MILLISECONDS);
      String output = Files.exists(log) ? Files.readString(log) : "";
      Matcher listens = LISTENS.matcher(output);
      if (listens.find() && output.contains("Server is ready")) {
        port = Integer.parseInt(listens.group(1));
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

  String uri(String subject) {
    return "nats://127.0.0.1:" + port + "/" + subject;
  }

  /** Kills the server, as a loss of power does. */
  void kill() throws InterruptedException {
    Process running = process;
    if (running != null) {
      running.destroyForcibly().waitFor();
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
