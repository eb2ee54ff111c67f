package dev.repartee.transport;

import dev.repartee.framing.Framing;
import dev.repartee.internal.StreamSecurity;
import dev.repartee.internal.Wire;
import dev.repartee.limits.Limits;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A listening TCP or Unix socket. The first of the {@link Loops} accepts its connections and
 * distributes them over all loops.
 */
final class ListeningSocket implements Transport.Listening, Loop.Ready, Loop.Watched {
  /**
   * The settings of the sockets of one endpoint.
   *
   * @param framing the framing of messages on the byte stream
   * @param limits the limits of a connection
   * @param lowLatency whether reading spins before it blocks; set by {@code #latency=low}
   */
  record Mode(Framing framing, Limits limits, boolean lowLatency) {
    /** The option keys of this type, in addition to the common keys of all transports. */
    static final Set<String> OPTIONS = Set.of("latency");

    private static final String LOW = "low";
    private static final String NORMAL = "normal";

    /**
     * Returns the settings that the options of an endpoint ask for.
     *
     * @param otherwise the framing if the endpoint does not name one
     * @throws IllegalArgumentException if an option has an unknown value
     */
    static Mode of(Endpoint endpoint, Framing otherwise, Limits limits) {
      String latency = endpoint.option("latency", NORMAL);
      if (!latency.equals(LOW) && !latency.equals(NORMAL)) {
        throw new IllegalArgumentException(
            "'" + endpoint + "' has the unknown latency '" + latency + "'; known are low, normal");
      }
      return new Mode(endpoint.framing(otherwise), limits, latency.equals(LOW));
    }
  }

  /**
   * A connected socket that a loop serves: the parts of a {@link LoopChannel}.
   *
   * @param loop the loop, which counts the connection
   * @param socket the socket, which is not blocking
   * @param wire the bytes of the socket, decrypted under TLS
   * @param info the description of the connection, without a framing
   * @param mode the settings of its endpoint
   */
  record Link(Loop loop, SocketChannel socket, Wire wire, ChannelInfo info, Mode mode) {
    /** Chooses a loop for a socket without encryption. */
    static Link plain(SocketChannel socket, ChannelInfo info, Mode mode) throws IOException {
      return of(socket, new Wire.Plain(socket), info, mode);
    }

    /** Chooses a loop for a socket. */
    static Link of(SocketChannel socket, Wire wire, ChannelInfo info, Mode mode)
        throws IOException {
      socket.configureBlocking(false);
      return new Link(Loops.ofProcess().enter(), socket, wire, info, mode);
    }

    /** Chooses a loop for a connected socket of the user; see {@link Channel#over}. */
    static Link over(SocketChannel socket, Framing framing, Limits limits) throws IOException {
      if (!socket.isConnected()) {
        throw new IllegalArgumentException("the socket is not connected: " + socket);
      }
      ChannelInfo info = TcpTransport.info("tcp", socket.getRemoteAddress());
      return plain(socket, info, new Mode(framing, limits, false));
    }

    /** Returns this link after the handshake of an encryption. */
    Link under(Wire encryption) {
      return new Link(loop, socket, encryption, info, mode);
    }

    /**
     * Returns the facts about the peer.
     *
     * @param accepted whether the peer is the client
     */
    Attributes attributes(boolean accepted) {
      Attributes facts = TcpTransport.attributes(socket, accepted);
      List<X509Certificate> shown = wire.peerCertificates();
      return shown.isEmpty() ? facts : facts.with(Channel.PEER_CERTIFICATES, shown);
    }
  }

  /** The number of connections to accept before the loop serves other sockets. */
  private static final int BURST = 64;

  /** The time to wait for the loop in {@link #close}; a slower loop is stuck in user code. */
  private static final long GONE_SECONDS = 2;

  private final Loop loop = Loops.ofProcess().first();
  private final ServerSocketChannel server;
  private final Endpoint endpoint;
  private final Mode mode;
  private final Function<SocketChannel, ChannelInfo> naming;
  private final Transport.Acceptor acceptor;
  private final @Nullable StreamSecurity security;
  private final Runnable cleanUp;
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicBoolean closed = new AtomicBoolean();

  // Used on the loop only.
  private @Nullable SelectionKey key;

  ListeningSocket(
      ServerSocketChannel server,
      Endpoint endpoint,
      Mode mode,
      Function<SocketChannel, ChannelInfo> naming,
      Transport.Acceptor acceptor,
      @Nullable StreamSecurity security,
      Runnable cleanUp) {
    this.server = server;
    this.endpoint = endpoint;
    this.mode = mode;
    this.naming = naming;
    this.acceptor = acceptor;
    this.security = security;
    this.cleanUp = cleanUp;
  }

  /** Starts to accept. */
  ListeningSocket start() throws IOException {
    server.configureBlocking(false);
    loop.execute(this::register);
    return this;
  }

  private void register() {
    try {
      key = loop.register(server, SelectionKey.OP_ACCEPT, this);
    } catch (IOException e) {
      close(); // closed before it began
    }
  }

  @Override
  public void ready(int operations) throws IOException {
    for (int i = 0; i < BURST; i++) {
      SocketChannel socket = server.accept();
      if (socket == null) {
        return;
      }
      if (open.get() >= mode.limits().connections()) {
        socket.close();
      } else {
        accept(socket);
      }
    }
  }

  private void accept(SocketChannel socket) throws IOException {
    try {
      Link link = Link.plain(socket, naming.apply(socket), mode);
      if (security == null) {
        link.loop().execute(() -> serve(link));
      } else {
        new OpeningSocket(link, security, this::serve, acceptor::refused, open::decrementAndGet)
            .start();
      }
    } catch (IOException | RuntimeException e) {
      socket.close(); // the client disconnected before the socket was set up
      return;
    } catch (Error e) {
      socket.close(); // nothing serves it, and its client would wait for ever
      throw e;
    }
    open.incrementAndGet();
  }

  /** Calls the acceptor on the loop of the connection: no input is read before it returns. */
  private void serve(Link link) {
    Channel channel = new LoopChannel(link, open::decrementAndGet);
    try {
      acceptor.accept(channel);
    } catch (RuntimeException | Error e) {
      channel.abort(e);
    }
  }

  /**
   * Pauses accepting until the next sweep. The usual cause, too many open files, lasts for a while,
   * and the connections wait in the backlog of the socket.
   */
  @Override
  public void failed(Throwable cause) {
    SelectionKey registered = key;
    if (registered != null && registered.isValid()) {
      loop.watch(this); // first, since it may fail: only the sweep makes the socket accept again
      registered.interestOps(0);
    }
  }

  @Override
  public boolean sweep() {
    SelectionKey registered = key;
    if (registered != null && registered.isValid()) {
      registered.interestOps(SelectionKey.OP_ACCEPT);
    }
    return false;
  }

  @Override
  public Endpoint endpoint() {
    return endpoint;
  }

  @Override
  public OptionalInt port() {
    return endpoint.scheme().equals("unix")
        ? OptionalInt.empty()
        : OptionalInt.of(TcpTransport.Address.of(endpoint).port());
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      cleanUp.run(); // first, as a name in the file system must not be removed from a successor
      try {
        server.close();
      } catch (IOException e) {
        // The socket accepts no more connections in any case.
      }
    }
    awaitGone();
  }

  /** Waits until the selector has released the socket: until then its port remains in use. */
  private void awaitGone() {
    CountDownLatch gone = new CountDownLatch(1);
    loop.execute(() -> {
      try {
        loop.letGo();
      } catch (IOException e) {
        // The next selection of the loop releases the socket.
      }
      gone.countDown();
    });
    if (!ReadingThread.isCurrent()) {
      try {
        gone.await(GONE_SECONDS, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
