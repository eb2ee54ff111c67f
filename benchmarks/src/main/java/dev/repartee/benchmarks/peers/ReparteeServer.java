package dev.repartee.benchmarks.peers;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Service;
import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Contestant;
import dev.repartee.benchmarks.load.LoadClient;
import dev.repartee.benchmarks.load.LoadGenerator;
import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.WireFormat;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.List;
import java.util.function.Supplier;

/** A Repartee server with its defaults, called by the load generator. */
public record ReparteeServer(
    String name, String about, String uri, Supplier<Service> service, WireFormat wire, String limit)
    implements Contestant {
  private static final String TCP = "tcp://127.0.0.1:0";
  private static final String SPIN = TCP + "#latency=low";
  private static final String HTTP = "http://127.0.0.1:0/";

  /** Returns all variants of the server. */
  public static List<Contestant> all() {
    Supplier<Service> inline = ReparteeMethods::inline;
    return List.of(
        new ReparteeServer(
            "repartee", "TCP, lines, inline handler", TCP, inline, WireFormat.LINES, "raw-loop"),
        new ReparteeServer(
            "repartee-spin",
            "TCP, lines, inline handler, #latency=low",
            SPIN,
            inline,
            WireFormat.LINES,
            "raw-loop-spin"),
        new ReparteeServer(
            "repartee-lane",
            "TCP, lines, a handler that may block",
            TCP,
            ReparteeMethods::concurrent,
            WireFormat.LINES,
            "raw-loop"),
        new ReparteeServer(
            "repartee-unix",
            "Unix socket, lines",
            "unix:",
            inline,
            WireFormat.LINES,
            "raw-loop-unix"),
        new ReparteeServer("repartee-http", "HTTP/1.1", HTTP, inline, WireFormat.HTTP, "raw-http"),
        new ReparteeServer(
            "repartee-batch",
            "HTTP/1.1, batches of 100, each counted as 100 calls",
            HTTP,
            inline,
            WireFormat.HTTP_BATCH,
            "raw-http"),
        new ReparteeServer(
            "repartee-ws", "WebSocket", HTTP, inline, WireFormat.WEBSOCKET, "raw-ws"));
  }

  @Override
  public boolean plays(Workload workload, Shape shape) {
    return switch (workload) {
      case SUBTRACT -> !uri.equals(HTTP) || wire == WireFormat.WEBSOCKET || shape.inFlight() == 1;
      case PUSH -> name.equals("repartee"); // concurrent calls would mix their notifications
      case SLEEP -> name.equals("repartee-lane");
      default -> uri.equals(TCP);
    };
  }

  @Override
  public LoadClient client() {
    return new LoadGenerator(wire);
  }

  @Override
  public Address serve(Workload workload) throws IOException {
    if (uri.equals("unix:")) {
      String path = Files.createTempDirectory("repartee").resolve("socket").toString();
      Repartee.listen(uri + path, service.get());
      return new Address(path);
    }
    if (workload == Workload.NOTIFY) {
      return Address.port(portOf(listenForEach(uri, service)));
    }
    return Address.port(Repartee.listen(uri, service.get()).port());
  }

  /**
   * Listens with a new service for each connection, so that its state belongs to one connection.
   */
  static Endpoint listenForEach(String uri, Supplier<Service> service) throws IOException {
    Endpoint endpoint = Endpoint.parse(uri);
    return Transport.of(endpoint)
        .listen(
            endpoint, Limits.DEFAULT, channel -> Peer.open(channel, service.get(), Options.DEFAULT))
        .endpoint();
  }

  public static int portOf(Endpoint endpoint) {
    return URI.create(endpoint.bare().toString()).getPort();
  }
}
