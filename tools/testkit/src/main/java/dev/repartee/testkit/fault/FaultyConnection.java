package dev.repartee.testkit.fault;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A connection through a {@link FaultProxy}: two sockets, and a thread for each direction. */
final class FaultyConnection {
  private static final int BUFFER = 64 << 10;

  private final SocketChannel client;
  private final SocketChannel server;
  private final Way toServer;
  private final Way toClient;
  private final AtomicInteger running = new AtomicInteger(2);
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Consumer<FaultyConnection> ended;

  FaultyConnection(
      SocketChannel client, SocketChannel server, Faults faults, Consumer<FaultyConnection> ended) {
    this.client = client;
    this.server = server;
    this.toServer = new Way("fault-to-server", client, server, faults.toServer());
    this.toClient = new Way("fault-to-client", server, client, faults.toClient());
    this.ended = ended;
  }

  void start() {
    toServer.start();
    toClient.start();
  }

  void strike(Faults faults) {
    toServer.strike(faults.toServer());
    toClient.strike(faults.toClient());
  }

  void cut() {
    if (closed.compareAndSet(false, true)) {
      close(client);
      close(server);
      toServer.interrupt();
      toClient.interrupt();
    }
  }

  void reset() {
    if (!closed.get()) {
      lingerNot(client);
      lingerNot(server);
      cut();
    }
  }

  void join() throws InterruptedException {
    toServer.join();
    toClient.join();
  }

  private static void lingerNot(SocketChannel socket) {
    try {
      socket.setOption(StandardSocketOptions.SO_LINGER, 0);
    } catch (IOException e) {
      // The socket is closed already.
    }
  }

  private static void close(SocketChannel socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // The socket is closed in any case.
    }
  }

  private void wayEnded() {
    if (running.decrementAndGet() == 0) {
      cut();
      ended.accept(this);
    }
  }

  /** One direction of the connection. */
  private final class Way extends Thread implements FaultOutput {
    private final SocketChannel source;
    private final SocketChannel sink;
    private Fault fault;
    private long passed;
    private boolean over;

    Way(String name, SocketChannel source, SocketChannel sink, Fault fault) {
      super(name);
      setDaemon(true);
      this.source = source;
      this.sink = sink;
      this.fault = fault;
    }

    synchronized void strike(Fault now) {
      fault = now;
      passed = 0;
    }

    @Override
    public void run() {
      try {
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
        while (source.read(buffer.clear()) >= 0) {
          byte[] piece = new byte[buffer.flip().remaining()];
          buffer.get(piece);
          pass(piece);
        }
        end();
      } catch (IOException | InterruptedException e) {
        FaultyConnection.this.reset(); // one end has closed: resets the other end
      } finally {
        wayEnded();
      }
    }

    private void pass(byte[] piece) throws IOException, InterruptedException {
      Fault now;
      long before;
      synchronized (this) {
        now = fault;
        before = passed;
        passed += piece.length;
      }
      now.pass(before, piece, this);
    }

    @Override
    public void write(byte[] bytes, int from, int to) throws IOException {
      ByteBuffer piece = ByteBuffer.wrap(bytes, from, to - from);
      while (!over && piece.hasRemaining()) {
        sink.write(piece);
      }
    }

    @Override
    public void end() throws IOException {
      if (!over) {
        over = true;
        sink.shutdownOutput();
      }
    }

    @Override
    public void cut() {
      FaultyConnection.this.cut();
    }

    @Override
    public void reset() {
      FaultyConnection.this.reset();
    }
  }
}
