package dev.repartee.benchmarks.soak;

import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.benchmarks.process.Child;
import dev.repartee.benchmarks.process.Jvm;
import dev.repartee.benchmarks.process.Replies;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The process of a soaked server, and its handle in the soak. */
final class SoakServer implements AutoCloseable {
  /** The transports of the server. */
  enum Door {
    TCP,
    UNIX,
    HTTP
  }

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
    List<String> options = List.of("-Xmx256m", "-XX:+UseSerialGC");
    return new SoakServer(
        new Child(Jvm.own().unpinned(options, SoakServer.class, socket.toString())));
  }

  Endpoint at(Door door) {
    return Objects.requireNonNull(endpoints.get(door));
  }

  /** Kills the process, like a system that has run out of memory. */
  void kill() {
    child.kill();
  }

  Footprint footprint() throws IOException {
    return Footprint.of(child.ask("footprint"));
  }

  /** Returns the account of the server's own calls; its last line states whether it adds up. */
  String account() throws IOException {
    return child.ask("account").replace('\t', '\n');
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
      Replies.serve(words -> {
        if (words[0].equals("footprint")) {
          return Footprint.now().line();
        }
        int peers = tcp.peers().size() + unix.peers().size() + http.peers().size();
        String text = account.table() + "\nnotifications: " + methods.notes.sum()
            + "\nconnections: " + peers + "\n" + (account.addsUp() && peers == 0);
        return text.replace('\n', '\t');
      });
    }
  }
}
