package dev.repartee.benchmarks.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.benchmarks.process.CpuUse;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Makes calls with as little work as possible: the server must be the bottleneck. It uses one
 * thread and prepared requests, and counts answers by their length: all are as long as the first
 * one. As a check it compares, after each read, the last byte of the last complete answer.
 */
public final class LoadGenerator implements LoadClient {
  private static final int BUFFER = 64 << 10;

  /** The first tenth of a slice is not counted: connections warm up, queues fill. */
  private static final int RAMP = 10;

  /**
   * The number of connections opened before the first one is answered: fewer than a backlog holds.
   */
  private static final int OPENED_AT_ONCE = 64;

  /** The time for a server to release closed connections. */
  private static final long FAREWELL = TimeUnit.SECONDS.toNanos(5);

  private final WireFormat wire;

  public LoadGenerator(WireFormat wire) {
    this.wire = wire;
  }

  @Override
  public Sample run(Address server, Workload workload, Shape shape, Duration time)
      throws IOException {
    try (Load load = new Load(server, workload, shape)) {
      return load.run(time.toNanos());
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Opens a blocking connection that is ready for calls. */
  public SocketChannel open(Address server) throws IOException {
    SocketChannel socket = SocketChannel.open(server.socket());
    if (!server.isUnix()) {
      socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }
    byte[] handshake = wire.handshake();
    if (handshake.length > 0) {
      write(socket, handshake);
      Answer head = new Answer(socket);
      while (WireFormat.headLength(head.bytes, 0, head.length) < 0) {
        head.more();
      }
    }
    return socket;
  }

  private static void write(SocketChannel socket, byte[] bytes) throws IOException {
    ByteBuffer out = ByteBuffer.wrap(bytes);
    while (out.hasRemaining()) {
      socket.write(out);
    }
  }

  /** Reads the answer to a request from a blocking connection; it must be a result. */
  private byte[] answer(SocketChannel socket, Workload workload) throws IOException {
    Answer answer = new Answer(socket);
    int length = -1;
    while (length < 0) {
      answer.more();
      length = wire.answerLength(workload, answer.bytes, answer.length);
    }
    byte[] bytes = Arrays.copyOf(answer.bytes, length);
    String text = new String(bytes, UTF_8);
    if (!text.contains("\"result\":")) {
      throw new IOException("the server does not answer with a result: " + text);
    }
    return bytes;
  }

  /** Makes one call on a blocking connection. */
  public byte[] call(SocketChannel socket, Workload workload) throws IOException {
    write(socket, wire.request(workload, 0));
    return answer(socket, workload);
  }

  /** Opens connections and makes one call on each. */
  public void open(Address server, Workload workload, int count, Consumer<SocketChannel> opened)
      throws IOException {
    byte[] request = wire.request(workload, 0);
    for (int left = count; left > 0; left -= OPENED_AT_ONCE) {
      List<SocketChannel> sockets = new ArrayList<>();
      for (int i = 0; i < Math.min(left, OPENED_AT_ONCE); i++) {
        SocketChannel socket = open(server);
        opened.accept(socket);
        sockets.add(socket);
        write(socket, request);
      }
      for (SocketChannel socket : sockets) {
        answer(socket, workload);
      }
    }
  }

  /** All connections of one slice. */
  private final class Load implements AutoCloseable {
    private final Selector selector = Selector.open();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
    private final Latencies latencies = new Latencies();
    private final List<Connection> connections = new ArrayList<>();
    private final Address server;
    private final Workload workload;
    private final Shape shape;
    private final int inFlight;
    private final int requestLength;

    /** Twice the requests that can be in flight; any sequence of them is then contiguous. */
    private final ByteBuffer requests;

    private final int answerLength;
    private final byte answerEnd;
    private int next;
    private int open;
    private long answers;

    /** The number of unanswered calls of the current wave. */
    private int missing;

    private long sentAt;

    Load(Address server, Workload workload, Shape shape) throws IOException {
      this.server = server;
      this.workload = workload;
      this.shape = shape;
      inFlight = shape.inFlight();
      byte[] first = wire.request(workload, 0);
      requestLength = first.length;
      requests = ByteBuffer.allocateDirect(2 * inFlight * requestLength);
      for (int i = 0; i < 2 * inFlight; i++) {
        requests.put(wire.request(workload, i % inFlight));
      }
      byte[] answer;
      try (SocketChannel socket = open(server)) {
        answer = call(socket, workload);
      }
      answerLength = answer.length;
      answerEnd = answer[answer.length - 1];
      List<SocketChannel> sockets = new ArrayList<>();
      try {
        open(server, workload, shape.connections(), sockets::add);
      } finally {
        for (SocketChannel socket : sockets) {
          connections.add(new Connection(socket));
        }
      }
      open = connections.size();
    }

    Sample run(long nanos) throws IOException {
      long begun = System.nanoTime();
      start();
      next = shape.busy();
      turn(begun + nanos / RAMP);
      answers = 0;
      latencies.clear();
      double cpu = CpuUse.secondsOf(server.process());
      long started = System.nanoTime();
      turn(begun + nanos);
      double seconds = (System.nanoTime() - started) / 1e9;
      cpu = CpuUse.secondsOf(server.process()) - cpu;
      return latencies
          .sample(answers * wire.calls() * workload.calls() / seconds)
          .withCpu(cpu * 1e6 / seconds);
    }

    private void start() throws IOException {
      missing = shape.busy() * inFlight;
      sentAt = System.nanoTime();
      for (Connection connection : connections.subList(0, shape.busy())) {
        connection.send(inFlight);
      }
    }

    /** Sends the next wave when the last call of this one is answered. */
    private void landed(int count) throws IOException {
      missing -= count;
      if (missing == 0) {
        latencies.record(System.nanoTime() - sentAt);
        start();
      }
    }

    private void turn(long end) throws IOException {
      while (true) {
        long left = end - System.nanoTime();
        if (left <= 0) {
          return;
        }
        selector.select(this::ready, Math.max(1, left / 1_000_000));
      }
    }

    private void ready(SelectionKey key) {
      try {
        ((Connection) key.attachment()).ready(key.readyOps());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Returns the connection for the next call: the same, or the one in turn. */
    private Connection after(Connection answered) {
      if (!shape.takesTurns()) {
        return answered;
      }
      next = next + 1 < connections.size() ? next + 1 : 0;
      return connections.get(next);
    }

    /** Waits until the server has closed all connections, not to disturb the next slice. */
    private void farewell() throws IOException {
      for (Connection connection : connections) {
        connection.socket.shutdownOutput();
      }
      long end = System.nanoTime() + FAREWELL;
      while (open > 0 && System.nanoTime() < end) {
        selector.select(this::drain, 100);
      }
    }

    private void drain(SelectionKey key) {
      try {
        if (key.isReadable() && ((SocketChannel) key.channel()).read(buffer.clear()) < 0) {
          key.cancel();
          open--;
        }
      } catch (IOException e) {
        key.cancel(); // a reset also ends the connection
        open--;
      }
    }

    @Override
    public void close() throws IOException {
      farewell();
      selector.close();
      for (Connection connection : connections) {
        connection.socket.close();
      }
    }

    private final class Connection {
      private final SocketChannel socket;
      private final SelectionKey key;
      private final ByteBuffer out = requests.duplicate();
      private final int cycle = inFlight * requestLength;
      private int at;
      private int unsent;
      private int ofNextAnswer;
      private long sentAt;
      private boolean blocked;

      Connection(SocketChannel socket) throws IOException {
        this.socket = socket;
        socket.configureBlocking(false);
        key = socket.register(selector, SelectionKey.OP_READ, this);
      }

      void ready(int operations) throws IOException {
        if ((operations & SelectionKey.OP_WRITE) != 0) {
          flush();
        }
        if ((operations & SelectionKey.OP_READ) != 0) {
          read();
        }
      }

      private void read() throws IOException {
        int count = socket.read(buffer.clear());
        if (count < 0) {
          throw new EOFException("the server closed the connection");
        }
        int bytes = ofNextAnswer + count;
        int complete = bytes / answerLength;
        ofNextAnswer = bytes - complete * answerLength;
        if (complete > 0) {
          if (buffer.get(count - ofNextAnswer - 1) != answerEnd) {
            throw new IOException("an answer is not as long as the first one was");
          }
          answers += complete;
          if (workload.isWave()) {
            landed(complete);
            return;
          }
          if (inFlight == 1) {
            latencies.record(System.nanoTime() - sentAt);
          }
          after(this).send(complete);
        }
      }

      private void send(int count) throws IOException {
        unsent += count * requestLength;
        if (inFlight == 1) {
          sentAt = System.nanoTime();
        }
        flush();
      }

      private void flush() throws IOException {
        int written = socket.write(out.limit(at + unsent).position(at));
        unsent -= written;
        at = (at + written) % cycle;
        if (unsent > 0 != blocked) {
          blocked = unsent > 0;
          key.interestOps(SelectionKey.OP_READ | (blocked ? SelectionKey.OP_WRITE : 0));
        }
      }
    }
  }

  /** The bytes that a blocking socket has received so far. */
  private static final class Answer {
    private final SocketChannel socket;
    private byte[] bytes = new byte[1 << 10];
    private int length;

    Answer(SocketChannel socket) {
      this.socket = socket;
    }

    void more() throws IOException {
      if (length == bytes.length) {
        bytes = Arrays.copyOf(bytes, 2 * length);
      }
      int count = socket.read(ByteBuffer.wrap(bytes, length, bytes.length - length));
      if (count < 0) {
        throw new EOFException("the server closed the connection after "
            + new String(bytes, 0, Math.min(length, 1_000), UTF_8));
      }
      length += count;
    }
  }
}
