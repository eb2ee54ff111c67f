package dev.repartee.broker.server;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A RabbitMQ server. */
public final class RabbitServer implements BrokerServer {
  /** The scripts of Debian's package, which run as the current user. */
  private static final File COMMANDS = new File("/usr/lib/rabbitmq/bin");

  private static final File COMMAND = new File(COMMANDS, "rabbitmq-server");

  private final ServerFolder folder = ServerFolder.create("rabbit", this::end);
  private final int port = Ports.free();
  private final int distribution = Ports.free();
  private final int mapper = Ports.free();
  private final String config;

  /** The ports of further listeners in the configuration. */
  private final int[] others;

  private @Nullable Process process;

  /** The port mapper of Erlang, which the server would start as a daemon that keeps running. */
  private @Nullable Process mapping;

  private RabbitServer(String config, int... others) throws IOException {
    this.config = config;
    this.others = others;
  }

  /** Returns the reason why no server can be started; null if it is installed. */
  public static @Nullable String missing() {
    return COMMAND.canExecute() ? null : "rabbitmq-server is not installed: there is no " + COMMAND;
  }

  /**
   * Starts a server.
   *
   * @param config more lines of its configuration
   * @param others the ports of further listeners in these lines, which the start waits for, too
   */
  public static RabbitServer start(String config, int... others)
      throws IOException, InterruptedException {
    RabbitServer server = new RabbitServer(config, others);
    server.start();
    return server;
  }

  @Override
  public int port() {
    return port;
  }

  @Override
  public String uri(String queue) {
    return "amqp://guest@127.0.0.1:" + port + "/" + queue;
  }

  @Override
  public void start() throws IOException, InterruptedException {
    Path configuration = folder.resolve("rabbitmq.conf");
    Files.writeString(
        configuration,
        "listeners.tcp.1 = 127.0.0.1:" + port + "\nlog.file.level = warning\n" + config);
    Files.writeString(folder.resolve("plugins"), "[].\n");
    if (mapping == null) {
      Process started = new ProcessBuilder("epmd", "-address", "127.0.0.1", "-port", "" + mapper)
          .redirectErrorStream(true)
          .redirectOutput(folder.resolve("output").toFile())
          .start();
      mapping = started;
      await(started, mapper);
    }
    Process started = command("rabbitmq-server").start();
    process = started;
    await(started, port);
    for (int other : others) { // RabbitMQ opens its listeners one after the other
      await(started, other);
    }
  }

  /** Returns a command of the package, for this server. */
  private ProcessBuilder command(String name, String... arguments) {
    List<String> command = new ArrayList<>(List.of(new File(COMMANDS, name).getPath()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command)
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
            Map.entry("RABBITMQ_CONFIG_FILE", folder.resolve("rabbitmq.conf").toString()),
            Map.entry(
                "RABBITMQ_GENERATED_CONFIG_DIR", folder.resolve("generated").toString()),
            Map.entry("RABBITMQ_PID_FILE", folder.resolve("pid").toString()),
            Map.entry("RABBITMQ_CONF_ENV_FILE", "/dev/null"),
            Map.entry("RABBITMQ_DIST_PORT", String.valueOf(distribution)),
            Map.entry("ERL_EPMD_ADDRESS", "127.0.0.1"),
            Map.entry("ERL_EPMD_PORT", String.valueOf(mapper)),
            Map.entry("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "+S 2:2")));
    return builder;
  }

  /**
   * Raises or ends the memory alarm: while it lasts, the server accepts no messages.
   *
   * @throws IOException if the server refuses this
   */
  public void alarm(boolean isOn) throws IOException, InterruptedException {
    control("set_vm_memory_high_watermark", isOn ? "0.0000001" : "0.4");
  }

  /**
   * Adds a user with all permissions for the default virtual host, and the name as password.
   *
   * @throws IOException if the server refuses this
   */
  public void addUser(String name) throws IOException, InterruptedException {
    control("add_user", name, name);
    control("set_permissions", name, ".*", ".*", ".*");
  }

  private void control(String... words) throws IOException, InterruptedException {
    if (command("rabbitmqctl", words).start().waitFor() != 0) {
      throw new IOException(Files.readString(folder.resolve("output")));
    }
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

  @Override
  public void kill() throws InterruptedException {
    Process running = process;
    if (running != null) {
      // The first process is a shell script. The server itself holds the ports and the name of the
      // node, and writes into the folder, until it has ended.
      List<ProcessHandle> others = running.descendants().toList();
      running.destroyForcibly().waitFor();
      others.forEach(ProcessHandle::destroyForcibly);
      for (ProcessHandle each : others) {
        each.onExit().completeOnTimeout(each, 60, TimeUnit.SECONDS).join();
      }
    }
  }

  @Override
  public void signal(String name) throws IOException, InterruptedException {
    Process running = process;
    if (running != null) {
      ServerFolder.signal(running, name);
    }
  }

  private void end() throws InterruptedException {
    kill();
    Process mapper = mapping;
    if (mapper != null) {
      mapper.destroyForcibly().waitFor();
    }
  }

  @Override
  public void close() throws IOException {
    folder.close();
  }
}
