package dev.repartee.benchmarks.peers;

import dev.repartee.Repartee;
import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Contestant;
import dev.repartee.benchmarks.load.LoadClient;
import dev.repartee.benchmarks.load.LoadGenerator;
import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.WireFormat;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.bridge.Bridge;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;

/**
 * A Repartee server behind one more hop in the same process: a bridge with one connection to
 * the server for all clients, or a relay that copies bytes, with a connection for each client.
 */
public record ReparteeHop(String name, String about, boolean relays) implements Contestant {
  private static final String TCP = "tcp://127.0.0.1:0";
  private static final int BUFFER = 64 << 10;

  /** Returns both. */
  public static List<Contestant> all() {
    return List.of(
        new ReparteeHop("repartee-relay", "TCP, lines, through a relay that copies bytes", true),
        new ReparteeHop(
            "repartee-bridge", "TCP, lines, through a bridge to a shared server", false));
  }

  @Override
  public boolean plays(Workload workload, Shape shape) {
    return workload == Workload.SUBTRACT && shape.connections() <= 32;
  }

  @Override
  public String limit() {
    return relays ? "repartee" : "repartee-relay";
  }

  @Override
  public LoadClient client() {
    return new LoadGenerator(WireFormat.LINES);
  }

  @Override
  public Address serve(Workload workload) throws IOException {
    Endpoint server = Repartee.listen(TCP, ReparteeMethods.inline()).endpoint();
    return Address.port(
        relays
            ? relay(ReparteeServer.portOf(server))
            : ReparteeServer.portOf(
                Bridge.to(server.toString()).open().listen(TCP).endpoint()));
  }

  /** Starts a relay, one thread with one selector, and returns its port. */
  private static int relay(int to) throws IOException {
    ServerSocketChannel listener = ServerSocketChannel.open();
    InetAddress loopback = InetAddress.getLoopbackAddress();
    listener.bind(new InetSocketAddress(loopback, 0), 1_024);
    int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
    Selector selector = Selector.open();
    listener.configureBlocking(false);
    listener.register(selector, SelectionKey.OP_ACCEPT);
    SocketAddress server = new InetSocketAddress(loopback, to);
    ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
    Thread loop = new Thread(
        () -> {
          try {
            while (true) {
              selector.select(key -> ready(key, listener, server, buffer));
            }
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        },
        "relay");
    loop.setDaemon(true);
    loop.start();
    return port;
  }

  private static void ready(
      SelectionKey key, ServerSocketChannel listener, SocketAddress server, ByteBuffer buffer) {
    try {
      if (key.attachment() instanceof SocketChannel other) {
        copy((SocketChannel) key.channel(), other, buffer);
        return;
      }
      SocketChannel client = listener.accept();
      SocketChannel backend = SocketChannel.open(server);
      for (SocketChannel socket : List.of(client, backend)) {
        socket.configureBlocking(false);
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
      }
      client.register(key.selector(), SelectionKey.OP_READ, backend);
      backend.register(key.selector(), SelectionKey.OP_READ, client);
    } catch (IOException e) {
      key.cancel(); // one side has disconnected
    }
  }

  private static void copy(SocketChannel from, SocketChannel to, ByteBuffer buffer)
      throws IOException {
    if (from.read(buffer.clear()) < 0) {
      from.close();
      to.close();
      return;
    }
    buffer.flip();
    while (buffer.hasRemaining()) {
      to.write(buffer); // the messages are small, so this rarely repeats
    }
  }
}
