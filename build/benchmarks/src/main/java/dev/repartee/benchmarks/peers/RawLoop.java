package dev.repartee.benchmarks.peers;

import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Workload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** The limit: core's engine without JSON-RPC. One thread, one selector, one write for each read. */
final class RawLoop {
  private static final int BUFFER = 64 << 10;

  /** The time of polling before it sleeps, if it spins. */
  private static final long SPIN = 50_000;

  private RawLoop() {}

  static Address tcp(Workload workload, boolean spins) throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open();
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_024);
    start(server, workload, spins);
    return Address.port(((InetSocketAddress) server.getLocalAddress()).getPort());
  }

  static Address unix(Workload workload) throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    Path path = Files.createTempDirectory("raw").resolve("socket");
    server.bind(UnixDomainSocketAddress.of(path));
    path.toFile().deleteOnExit();
    start(server, workload, false);
    return new Address(path.toString());
  }

  private static void start(ServerSocketChannel server, Workload workload, boolean spins)
      throws IOException {
    Selector selector = Selector.open();
    server.configureBlocking(false);
    server.register(selector, SelectionKey.OP_ACCEPT);
    new Thread(new Loop(server, selector, new RawAnswers(workload), spins), "raw-loop").start();
  }

  private record Loop(
      ServerSocketChannel server, Selector selector, RawAnswers answers, boolean spins)
      implements Runnable {
    @Override
    public void run() {
      ByteBuffer buffer = ByteBuffer.wrap(new byte[BUFFER]);
      try {
        while (true) {
          if (!spins || !spin(buffer)) {
            selector.select(key -> ready(key, buffer));
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private boolean spin(ByteBuffer buffer) throws IOException {
      long begun = System.nanoTime();
      do {
        if (selector.selectNow(key -> ready(key, buffer)) > 0) {
          return true;
        }
      } while (System.nanoTime() - begun < SPIN);
      return false;
    }

    private void ready(SelectionKey key, ByteBuffer buffer) {
      try {
        if (key.attachment() instanceof Connection connection) {
          connection.ready(key, buffer);
        } else {
          accept();
        }
      } catch (IOException e) {
        key.cancel(); // the client has disconnected
      }
    }

    private void accept() throws IOException {
      SocketChannel socket = server.accept();
      socket.configureBlocking(false);
      if (socket.supportedOptions().contains(StandardSocketOptions.TCP_NODELAY)) {
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
      }
      ByteBuffer out = ByteBuffer.wrap(answers.block());
      socket.register(selector, SelectionKey.OP_READ, new Connection(socket, answers.debt(), out));
    }
  }

  private record Connection(SocketChannel socket, RawAnswers.Debt debt, ByteBuffer out) {
    void ready(SelectionKey key, ByteBuffer buffer) throws IOException {
      if (key.isReadable()) {
        int count = socket.read(buffer.clear());
        if (count < 0) {
          socket.close();
          return;
        }
        debt.received(count);
      }
      boolean blocked = !write();
      if (blocked == ((key.interestOps() & SelectionKey.OP_WRITE) == 0)) {
        key.interestOps(blocked ? SelectionKey.OP_WRITE : SelectionKey.OP_READ);
      }
    }

    /** Writes the owed answers; returns whether all were written. */
    private boolean write() throws IOException {
      for (int most = debt.most(); most > 0; most = debt.most()) {
        int count = socket.write(out.limit(debt.at() + most).position(debt.at()));
        debt.sent(count);
        if (count < most) {
          return false;
        }
      }
      return true;
    }
  }
}
