package dev.repartee;

import dev.repartee.internal.Times;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.FrameService;
import dev.repartee.transport.HttpService;
import dev.repartee.transport.ReadingThread;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A running server: one endpoint that accepts connections and serves them. Made by the {@code
 * listen} methods of {@link Repartee}. Thread-safe.
 *
 * <p>The server has stopped when it no longer listens, all requests without a connection (HTTP)
 * have finished, and all peers have ended. {@link #close(Duration)} brings this about and waits for
 * it; on a thread that must not wait, the last of these events completes it.
 */
public final class Server implements AutoCloseable {
  private final Options options;
  private final PeerFactory reception;

  /**
   * Serves single frames that arrive without a connection, as in an HTTP POST; null if the {@link
   * PeerFactory} serves connections only.
   */
  private final @Nullable FrameResponder responder;

  /** The open connections. Added by {@link Door#accept}, removed by {@link #left(Peer)}. */
  private final Set<Peer> peers = ConcurrentHashMap.newKeySet();

  private final Consumer<Peer> left = this::left;
  private final CountDownLatch ended = new CountDownLatch(1);

  /** Null until the transport listens. A connection may be accepted, and may end, before that. */
  private volatile Transport.@Nullable Listening listening;

  /** Whether a connection has ended; for transports that accept only one. */
  private volatile boolean onceLeft;

  /** Whether {@link #close(Duration)} was called. */
  private volatile boolean closing;

  /** Whether the transport has finished all requests that arrived without a connection. */
  private volatile boolean finished;

  private Server(Options options, PeerFactory reception, @Nullable FrameResponder responder) {
    this.options = options;
    this.reception = reception;
    this.responder = responder;
  }

  /** Listens and serves one service to all connections. */
  static Server listen(Endpoint endpoint, Service service, Options given) throws IOException {
    Options options = given.at(endpoint);
    ServerContext context = new ServerContext(service, options);
    FrameResponder responder =
        new FrameResponder(context, new ChannelInfo("", "", "message"), Attributes.NONE);
    return listen(endpoint, options, channel -> Peer.open(channel, context, true), responder);
  }

  /** Listens, and opens the peer of each connection with the factory {@code reception}. */
  static Server listen(Endpoint endpoint, PeerFactory reception, Options options)
      throws IOException {
    return listen(endpoint, options, reception, null);
  }

  private static Server listen(
      Endpoint endpoint, Options options, PeerFactory reception, @Nullable FrameResponder responder)
      throws IOException {
    Server server = new Server(options, reception, responder);
    Transport transport = Transport.of(endpoint);
    server.listening = transport.listen(endpoint, options.limits(), server.new Door());
    server.endIfLast(); // its only connection may have ended before listening was set
    return server;
  }

  /** Receives connections from the transport, on its reading threads. */
  private final class Door implements Transport.Acceptor {
    @Override
    public void accept(Channel channel) {
      Peer peer = reception.open(channel);
      peer.whenEnded(left);
      peers.add(peer);
      if (peer.hasEnded()) {
        left(peer); // it may have ended before it was added
      }
      if (closing) {
        peer.startClosing(); // it was accepted after close() copied the set of peers
      }
    }

    @Override
    public FrameService responder() {
      return responder == null ? Transport.Acceptor.super.responder() : responder;
    }

    @Override
    public @Nullable HttpService http() {
      return reception.http();
    }
  }

  private void left(Peer peer) {
    peers.remove(peer);
    onceLeft = true;
    endIfLast();
  }

  /**
   * Releases {@link #join} if the only connection of a single-connection endpoint has ended, or if
   * a closing server has no more work. Called after each change of a field that this depends on;
   * all of them only change in one direction, so no lock is needed.
   */
  private void endIfLast() {
    Transport.Listening bound = listening;
    boolean single = bound != null && bound.isSingle() && onceLeft;
    boolean last = closing && finished && peers.isEmpty();
    if (last) {
      reception.closed();
    }
    if (single || last) {
      ended.countDown();
    }
  }

  private Transport.Listening listening() {
    return Objects.requireNonNull(listening);
  }

  /**
   * Returns the bound endpoint, to which clients connect. If port 0 was given, it has the real
   * port.
   */
  public Endpoint endpoint() {
    return listening().endpoint();
  }

  /** Returns the connections that are open now, for calls to the clients. The set is a copy. */
  public Set<Peer> peers() {
    return Set.copyOf(peers);
  }

  /**
   * Waits until the server has stopped: until it was closed, or, if the endpoint has only one
   * connection (as {@code stdio:} has), until that connection has ended and all its requests were
   * answered.
   *
   * @throws InterruptedException if the calling thread is interrupted while it waits
   */
  public void join() throws InterruptedException {
    ended.await();
  }

  /** Closes the server as {@link #close(Duration)} does, within {@link Limits#closeTimeout}. */
  @Override
  public void close() {
    close(options.limits().closeTimeout());
  }

  /**
   * Closes the server gracefully and waits until it has stopped.
   *
   * <p>Stops listening and answers new requests with -32000 (busy). Running handlers have {@code
   * limit} to finish. Then they are cancelled, and the connections end, with one more second to
   * write queued output. Requests without a connection, as over HTTP, are no longer accepted;
   * running ones have the same limit, and their responses announce that they are the last.
   *
   * <p>On a {@linkplain ReadingThread reading thread} (that of an inline handler) and on a thread
   * that runs a handler of this server, this method only starts the close and returns, since
   * waiting would be a deadlock. The limit still holds, and the request of that handler is still
   * answered.
   *
   * @param limit the time that running handlers have, from zero
   */
  public void close(Duration limit) {
    closing = true;
    long nanos = Times.nanos(limit);
    long deadline = System.nanoTime() + nanos + Peer.FLUSH_TIME.toNanos();
    reception.closing();
    CompletionStage<?> rest = listening().finish(Duration.ofNanos(nanos));
    Set<Peer> open = peers();
    open.forEach(Peer::startClosing);
    if (ReadingThread.isCurrent() || isInUseHere(open)) {
      open.forEach(peer -> peer.endAfter(limit));
      rest.whenComplete((nothing, failure) -> {
        finished = true;
        endIfLast();
      });
    } else {
      Peer.finishClosing(open, limit);
      await(rest, deadline);
      reception.closed();
      ended.countDown();
    }
  }

  /** Whether the calling thread runs a handler of this server, which would wait for itself. */
  private boolean isInUseHere(Set<Peer> open) {
    boolean alone = responder == null ? FrameResponder.anyRunsHere() : responder.runsHere();
    return alone || open.stream().anyMatch(Peer::isInUseHere);
  }

  private static void await(CompletionStage<?> stage, long deadline) {
    try {
      stage
          .toCompletableFuture()
          .get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // The transport did not finish in time, or failed; the server closes all the same.
    }
  }
}
