package dev.repartee.benchmarks.peers;

import dev.repartee.Lane;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Service;
import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Document;
import dev.repartee.benchmarks.load.Driver.Connection;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.nio.file.Files;
import java.util.function.Supplier;

/** Servers and clients of Repartee. */
final class ReparteePeers {
  private ReparteePeers() {}

  static Address serve(String uri, Supplier<Service> service, Workload workload)
      throws IOException {
    return workload == Workload.NOTIFY
        ? serveEach(uri, service)
        : Address.at(Repartee.listen(uri, service.get()).endpoint());
  }

  static Address serveUnix() throws IOException {
    String path = Files.createTempDirectory("repartee").resolve("socket").toString();
    Repartee.listen("unix:" + path, ReparteeMethods.inline());
    return new Address(path);
  }

  /**
   * Listens with a new service for each connection, which keeps the state of one connection.
   */
  static Address serveEach(String uri, Supplier<Service> service) throws IOException {
    Endpoint endpoint = Endpoint.parse(uri);
    return Address.at(Transport.of(endpoint)
        .listen(
            endpoint, Limits.DEFAULT, channel -> Peer.open(channel, service.get(), Options.DEFAULT))
        .endpoint());
  }

  /** Receives the notifications that the server pushes. */
  public static final class Taking {
    private final NotificationCounter notes = new NotificationCounter();

    @Rpc(lane = Lane.INLINE)
    public void note(int minuend, int subtrahend) {
      notes.take();
    }
  }

  static Connection connect(String port, Workload workload, boolean waits) throws IOException {
    Taking pushed = new Taking();
    Peer peer = Repartee.connect("tcp://127.0.0.1:" + port, Service.of(pushed), Options.DEFAULT);
    if (waits) {
      return Connection.blocking(peer::close, () -> peer.call("subtract", int.class, 42, 23) == 19);
    }
    return switch (workload) {
      case SUBTRACT ->
        Connection.of(
            peer::close,
            done -> peer.callAsync("subtract", int.class, 42, 23)
                .whenComplete(done.expecting(difference -> difference == 19)));
      case NOTIFY ->
        Connection.of(peer::close, done -> {
          for (int i = 0; i < Workload.NOTIFICATIONS; i++) {
            peer.notify("note", 42, 23);
          }
          peer.callAsync("noted", int.class).whenComplete(done.expecting(noted -> true));
        });
      case PUSH ->
        Connection.of(
            peer::close,
            done -> peer.callAsync("push", int.class, Workload.NOTIFICATIONS)
                .thenApply(count -> pushed.notes.taken())
                .whenComplete(done.expecting(taken -> true)));
      default -> {
        Document document = workload.document();
        yield Connection.of(
            peer::close,
            done -> peer.callAsync("echo", Document.class, document)
                .whenComplete(done.expecting(document::isAsLongAs)));
      }
    };
  }
}
