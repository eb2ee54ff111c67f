package dev.repartee.benchmarks.soak;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.benchmarks.process.Child;
import dev.repartee.transport.Endpoint;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** The process of a soaked server, and its handle in the soak. */
final class SoakServer implements AutoCloseable {
  /** The transports of the server. */
  enum Door {
    TCP,
    UNIX,
    HTTP
  }

  /** The time for the system to end a killed process, sufficient on a busy machine. */
  private static final int PATIENCE_MINUTES = 2;

  private final Child child;
  private final Map<Door, Endpoint> endpoints = new EnumMap<>(Door.class);

  private SoakServer(Child child) throws IOException {
    this.child = child;
    String[] uris = child.hear().split(" ");
    for (Door door : Door.values()) {
      endpoints.put(door, Endpoint.parse(uris[door.ordinal()]));
    }
  }

  /** Starts a server with its Unix socket at {@code socket}. */
  static SoakServer start(Path socket) throws IOException {
    return new SoakServer(new Child(List.of(
        System.getProperty("java.home") + "/bin/java",
        "-Xmx256m",
        "-XX:+UseSerialGC",
        "-cp",
        System.getProperty("java.class.path"),
        SoakServer.class.getName(),
        socket.toString())));
  }

  Endpoint at(Door door) {
    return Objects.requireNonNull(endpoints.get(door));
  }

  /** Kills the process, like a system that has run out of memory. */
  void kill() throws InterruptedException {
    ProcessHandle process = ProcessHandle.of(child.pid()).orElse(null);
    if (process != null) {
      process.destroyForcibly();
      process.onExit().orTimeout(PATIENCE_MINUTES, TimeUnit.MINUTES).join();
    }
    child.close();
  }

  Footprint footprint() throws IOException {
    child.say("footprint");
    return Footprint.of(child.hear());
  }

  /** Returns the account of the server's own calls; its last line states whether it adds up. */
  List<String> account() throws IOException {
    child.say("account");
    List<String> lines = new ArrayList<>();
    do {
      lines.add(child.hear());
    } while (!lines.get(lines.size() - 1).startsWith("= "));
    return lines;
  }

  /** Ends the process. */
  @Override
  public void close() {
    child.close();
  }

  // ---------------------------------------------------------------- in the process

  /**
   * Listens, prints its endpoints and obeys commands on standard input; ends with standard input.
   */
  public static void main(String[] args) throws Exception {
    SoakAccount account = new SoakAccount();
    SoakMethods methods = new SoakMethods(account);
    Service service = methods.service();
    try (Server tcp = Repartee.listen("tcp://127.0.0.1:0", service);
        Server unix = Repartee.listen("unix:" + args[0], service);
        Server http = Repartee.listen("http://127.0.0.1:0/", service)) {
      System.out.println(tcp.endpoint() + " " + unix.endpoint() + " " + http.endpoint());
      BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.equals("footprint")) {
          System.out.println(Footprint.now().line());
        } else {
          int peers = tcp.peers().size() + unix.peers().size() + http.peers().size();
          System.out.println(account.table());
          System.out.println("notifications taken: " + methods.notes.sum());
          System.out.println("= " + (account.addsUp() && peers == 0) + ", connections: " + peers);
        }
      }
    }
  }
}
