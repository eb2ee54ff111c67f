package dev.repartee.benchmarks.failover;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * An idle connection to a server that will be killed. It shows when the kernel closes the sockets of
 * the process: 10 to 70 ms after the kill of a JVM. No client can notice the loss earlier.
 */
final class Witness implements AutoCloseable {
  private static final int SECONDS = 60;

  private final SocketChannel channel;
  private final CompletableFuture<Long> closed = new CompletableFuture<>();

  /** Connects to the server at a URI. */
  Witness(String uri) throws IOException {
    URI server = URI.create(uri);
    channel = SocketChannel.open(new InetSocketAddress(server.getHost(), server.getPort()));
    Thread thread = new Thread(this::watch, "witness");
    thread.setDaemon(true);
    thread.start();
  }

  private void watch() {
    try {
      channel.read(ByteBuffer.allocate(1)); // a server sends nothing without a request
    } catch (IOException e) {
      // The connection was reset.
    }
    closed.complete(System.nanoTime());
  }

  /** Returns the time of {@link System#nanoTime} at which the connection was closed. */
  long closedAt() throws IOException, InterruptedException {
    try {
      return closed.get(SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("the kernel has not closed the sockets of a killed process", e);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
