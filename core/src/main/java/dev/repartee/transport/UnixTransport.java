package dev.repartee.transport;

import dev.repartee.framing.Framing;
import dev.repartee.internal.Times;
import dev.repartee.internal.UnixSocketFile;
import dev.repartee.limits.Limits;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** The transport {@code unix:PATH}. */
final class UnixTransport implements Transport {
  @Override
  public Set<String> schemes() {
    return Set.of("unix");
  }

  @Override
  public Set<String> options() {
    return ListeningSocket.Mode.OPTIONS;
  }

  @Override
  public Channel connect(Endpoint endpoint, Limits limits, Headers headers) throws IOException {
    UnixSocketFile file = UnixSocketFile.of(endpoint.address(), endpoint);
    ListeningSocket.Mode mode = ListeningSocket.Mode.of(endpoint, Framing.LINES, limits);
    SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      connect(socket, file.address(), limits.connectTimeout());
      ChannelInfo info = new ChannelInfo("unix", endpoint.address(), "");
      return new LoopChannel(ListeningSocket.Link.plain(socket, info, mode));
    } catch (ClosedByInterruptException e) {
      throw Transports.interrupted(endpoint, e);
    } catch (ClosedChannelException e) {
      throw new IOException(
          "cannot connect to " + endpoint.bare() + " within the limit connectTimeout of "
              + limits.connectTimeout().toMillis()
              + " ms; its server does not accept connections",
          e);
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw new IOException(
          "cannot connect to " + endpoint.bare() + ": " + e.getMessage()
              + "; is its server running, as the same user?",
          e);
    }
  }

  /**
   * Connects. Blocks while the backlog of the server is full; the loop closes the socket when the
   * limit has passed.
   */
  private static void connect(SocketChannel socket, UnixDomainSocketAddress address, Duration limit)
      throws IOException {
    AtomicBoolean done = new AtomicBoolean();
    long deadline = System.nanoTime() + Times.nanos(limit);
    Loop loop = Loops.ofProcess().first();
    loop.execute(() -> loop.watch(() -> late(socket, done, System.nanoTime() - deadline)));
    try {
      socket.connect(address);
    } finally {
      done.set(true);
    }
  }

  private static boolean late(SocketChannel socket, AtomicBoolean done, long over) {
    if (over >= 0 && done.compareAndSet(false, true)) {
      try {
        socket.close();
      } catch (IOException e) {
        // The connecting thread gets a ClosedChannelException anyway.
      }
    }
    return !done.get();
  }

  @Override
  public Listening listen(Endpoint endpoint, Limits limits, Acceptor acceptor) throws IOException {
    UnixSocketFile file = UnixSocketFile.of(endpoint.address(), endpoint);
    ListeningSocket.Mode mode = ListeningSocket.Mode.of(endpoint, Framing.AUTO, limits);
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      Object key = file.claim(server, TcpTransport.BACKLOG);
      ChannelInfo info = new ChannelInfo("unix", endpoint.address(), "");
      return new ListeningSocket(
              server, endpoint, mode, socket -> info, acceptor, null, () -> file.remove(key))
          .start();
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
  }
}
