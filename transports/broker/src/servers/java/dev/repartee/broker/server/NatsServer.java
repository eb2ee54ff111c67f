package dev.repartee.broker.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A NATS server. */
public final class NatsServer implements BrokerServer {
  private static final List<String> FOLDERS = List.of("/usr/sbin", "/usr/bin", "/usr/local/bin");
  private static final Pattern READY =
      Pattern.compile("(?s)for client connections on 127.0.0.1:[0-9]+.*Server is ready");

  private final String command;
  private final ServerFolder folder = ServerFolder.create("nats", this::kill);
  private final String config;
  private final int port = Ports.free();
  private @Nullable Process process;

  private NatsServer(String command, String config) throws IOException {
    this.command = command;
    this.config = config;
  }

  /** Returns the reason why no server can be started; null if it is installed. */
  public static @Nullable String missing() {
    return command().isPresent() ? null : "nats-server is not installed";
  }

  private static Optional<String> command() {
    return ServerFolder.command("nats-server", FOLDERS);
  }

  /**
   * Starts a server.
   *
   * @param config more lines of its configuration; {@code FOLDER} is replaced by the folder of this
   *     server
   */
  public static NatsServer start(String config) throws IOException, InterruptedException {
    NatsServer server = new NatsServer(command().orElse("nats-server"), config);
    server.start();
    return server;
  }

  @Override
  public void start() throws IOException, InterruptedException {
    Path file = folder.resolve("config");
    Files.writeString(
        file,
        "listen: 127.0.0.1:" + port + "\nmax_payload: 4MB\n"
            + config.replace("FOLDER", folder.toString()));
    Process started = folder.start(command, "-c", file.toString());
    process = started;
    folder.await(started, READY);
  }

  @Override
  public int port() {
    return port;
  }

  /** Returns the folder of the server. */
  public Path folder() {
    return folder.path();
  }

  @Override
  public String uri(String subject) {
    return "nats://127.0.0.1:" + port + "/" + subject;
  }

  @Override
  public void kill() throws InterruptedException {
    Process running = process;
    if (running != null) {
      running.destroyForcibly().waitFor();
    }
  }

  @Override
  public void signal(String name) throws IOException, InterruptedException {
    Process running = process;
    if (running != null) {
      ServerFolder.signal(running, name);
    }
  }

  @Override
  public void close() throws IOException {
    folder.close();
  }
}
