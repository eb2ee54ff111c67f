package dev.repartee.agents.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Records the effects of the steps of all processes. Each step reports here and waits for an
 * answer. A test can then kill a process at a known moment.
 */
final class StepServer implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 60;

  private final ServerSocket server;
  private final BlockingQueue<Effect> arrived = new LinkedBlockingQueue<>();
  private final List<String> effects = new ArrayList<>(); // guarded by this

  /** A step that runs: its id, the process, and the connection that waits for the answer. */
  record Effect(String step, long process, Socket connection) {
    void answer() throws IOException {
      try (connection) {
        connection.getOutputStream().write("done\n".getBytes(UTF_8));
      }
    }
  }

  StepServer() throws IOException {
    this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread thread = new Thread(this::accept, "steps");
    thread.setDaemon(true);
    thread.start();
  }

  int port() {
    return server.getLocalPort();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket connection = server.accept();
        BufferedReader in =
            new BufferedReader(new InputStreamReader(connection.getInputStream(), UTF_8));
        String[] words = in.readLine().split(" ");
        synchronized (this) {
          effects.add(words[0]);
        }
        arrived.add(new Effect(words[0], Long.parseLong(words[1]), connection));
      } catch (IOException e) {
        return;
      }
    }
  }

  /** Returns the next step that runs. */
  Effect next() throws InterruptedException {
    Effect effect = arrived.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (effect == null) {
      throw new AssertionError("no step has begun; so far: " + effects());
    }
    return effect;
  }

  /** Answers all steps from now on, in a thread. */
  void answerAll() {
    Thread thread = new Thread(() -> {
      try {
        while (!server.isClosed()) {
          arrived.take().answer();
        }
      } catch (IOException | InterruptedException e) {
        // The test has ended.
      }
    });
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns the ids of the steps in the order in which they took effect. */
  synchronized List<String> effects() {
    return List.copyOf(effects);
  }

  @Override
  public void close() throws IOException {
    server.close();
  }

  /** Reports a step to a server, and waits for its answer. An interrupt ends the connection. */
  static void report(int port, String step) throws IOException {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    try (SocketChannel channel = SocketChannel.open(address)) {
      String line = step + " " + ProcessHandle.current().pid() + "\n";
      channel.write(ByteBuffer.wrap(line.getBytes(UTF_8)));
      if (channel.read(ByteBuffer.allocate(16)) < 0) {
        throw new IOException("the step " + step + " was not answered");
      }
    }
  }
}
