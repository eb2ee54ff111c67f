package dev.repartee.benchmarks.soak;

import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.benchmarks.process.Child;
import dev.repartee.benchmarks.process.Jvm;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * The process of a server that is restarted, and its handle in the soak. It has the methods of a
 * {@link BrokerSoakWorker}, and writes the key of each call to a file, too.
 */
final class RestartServer {
  private final Child child;

  /** The address, with the real port. */
  final String uri;

  private RestartServer(Child child, String uri) {
    this.child = child;
    this.uri = uri;
  }

  /** Starts a server; returns when it listens. */
  static RestartServer start(String uri, Path file, Path log) throws IOException {
    List<String> options = List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
    Child child =
        new Child(Jvm.own().unpinned(options, RestartServer.class, uri, file.toString()), log);
    return new RestartServer(child, child.hear());
  }

  /** Ends the process in order. */
  void terminate() {
    child.terminate();
  }

  /** Kills the process, like a system that has run out of memory. */
  void kill() {
    child.kill();
  }

  // ---------------------------------------------------------------- in the process

  /** Serves a URI until SIGTERM or the end of the standard input. */
  public static void main(String[] args) throws Exception {
    FileChannel file =
        FileChannel.open(Path.of(args[1]), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    Server server = Repartee.listen(
        args[0], Service.of(new BrokerSoakWorker.Methods(file)), BrokerSoakWorker.quiet());
    System.out.println(server.endpoint());
    Thread parent = new Thread(RestartServer::endWithInput, "parent");
    parent.setDaemon(true);
    parent.start();
    server.join();
  }

  private static void endWithInput() {
    try {
      if (System.in.read() < 0) {
        Runtime.getRuntime().halt(1);
      }
    } catch (IOException e) {
      Runtime.getRuntime().halt(1);
    }
  }
}
