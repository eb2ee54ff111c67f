package dev.repartee.benchmarks.raw;

import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Contestant;
import dev.repartee.benchmarks.load.LoadClient;
import dev.repartee.benchmarks.load.LoadGenerator;
import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.WireFormat;
import dev.repartee.benchmarks.load.Workload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
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
public final class RawLoop implements Contestant {
  private static final int BUFFER = 64 << 10;

  /** The time of polling before it sleeps, if it spins. */
  private static final long SPIN = 50_000;

  private final boolean unix;
  private final boolean spins;

  public RawLoop(boolean unix, boolean spins) {
    this.unix = unix;
    this.spins = spins;
  }

  @Override
  public String name() {
    return "raw-loop" + (unix ? "-unix" : "") + (spins ? "-spin" : "");
  }

  @Override
  public String about() {
    return "a raw echo on a JDK selector"
        + (unix ? ", Unix socket" : "")
        + (spins ? ", polling for 50 us before it sleeps" : "");
  }

  @Override
  public boolean plays(Workload workload, Shape shape) {
    return workload == Workload.SUBTRACT || !(unix || spins) && workload != Workload.SLEEP;
  }

  @Override
  public String limit() {
    return name();
  }

  @Override
  public LoadClient client() {
    return new LoadGenerator(WireFormat.LINES);
  }

  @Override
  public Address serve(Workload workload) throws IOException {
    ServerSocketChannel server =
        unix ? ServerSocketChannel.open(StandardProtocolFamily.UNIX) : ServerSocketChannel.open();
    Address address = bind(server);
    Selector selector = Selector.open();
    server.configureBlocking(false);
    server.register(selector, SelectionKey.OP_ACCEPT);
    new Thread(new Loop(server, selector, new RawAnswers(workload), spins), "raw-loop").start();
    return address;
  }

  private Address bind(ServerSocketChannel server) throws IOException {
    if (unix) {
      Path path = Files.createTempDirectory("raw").resolve("socket");
      server.bind(UnixDomainSocketAddress.of(path));
      path.toFile().deleteOnExit();
      return new Address(path.toString());
    }
    SocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    server.bind(any, 1_024);
    return Address.port(((InetSocketAddress) server.getLocalAddress()).getPort());
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
