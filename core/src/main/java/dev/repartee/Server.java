package dev.repartee;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A service at an endpoint, with the connections it has. Thread-safe. */
public final class Server implements AutoCloseable {
  private final Options options;
  private final Reception reception;
  private final Responder.@Nullable OneWay responder;

  private final Set<Peer> peers = ConcurrentHashMap.newKeySet();
  private final Consumer<Peer> left = this::left;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile Transport.@Nullable Listening listening;
  private volatile boolean onceLeft;
  private volatile boolean closing;

  /** Whether nothing is served any more that came without a connection. */
  private volatile boolean finished;

  private Server(Options options, Reception reception, Responder.@Nullable OneWay responder) {
    this.options = options;
    this.reception = reception;
    this.responder = responder;
  }

  /** Serves the same to all connections. */
  static Server listen(Endpoint endpoint, Service service, Options given) throws IOException {
    Options options = given.at(endpoint);
    Serving serving = new Serving(service, options);
    Responder.OneWay responder =
        new Responder.OneWay(serving, new ChannelInfo("", "", "message"), Map.of());
    return listen(endpoint, options, channel -> Peer.open(channel, serving, true), responder);
  }

  /** Serves connections as that opens them. */
  static Server listen(Endpoint endpoint, Reception reception, Options options) throws IOException {
    return listen(endpoint, options, reception, null);
  }

  private static Server listen(
      Endpoint endpoint, Options options, Reception reception, Responder.@Nullable OneWay responder)
      throws IOException {
    Server server = new Server(options, reception, responder);
    Transport transport = Transport.of(endpoint);
    server.listening = transport.listen(endpoint, options, server.new Door());
    server.endIfLast(); // its one connection may have come and gone by now
    return server;
  }

  private final class Door implements Transport.Acceptor {
    @Override
    public void accept(Channel channel) {
      Peer peer = reception.open(channel);
      peer.whenEnded(left);
      peers.add(peer);
      if (!peer.isOpen()) {
        left(peer); // it may have ended before it was there
      }
      if (closing) {
        peer.startClosing(); // it came in while close() looked at those that were there
      }
    }

    @Override
    public Responder.OneWay responder() {
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
    return java.util.Objects.requireNonNull(listening);
  }

  /** The endpoint, with the real port where 0 was asked for: what a client connects to. */
  public Endpoint endpoint() {
    return listening().endpoint();
  }

  /** The connections open now, to call the clients; a copy. */
  public Set<Peer> peers() {
    return Set.copyOf(peers);
  }

  /**
   * Waits until nothing more will be served: until it was closed, or, where there is only ever one
   * connection as on standard input, until that has ended and everything was answered.
   */
  public void join() throws InterruptedException {
    ended.await();
  }

  /** Stops as {@link #close(Duration)} does, within {@link Limits#closeTimeout}. */
  @Override
  public void close() {
    close(options.limits().closeTimeout());
  }

  /**
   * Accepts nothing more, answers new calls busy (-32000), lets running calls finish for that long at
   * most, then cancels them and ends the connections. Waits for all that, and for what was written to
   * leave a second more. Where calls come without a connection, as over HTTP, no new ones are taken:
   * what runs is answered within the limit, with word that it is the last. On a thread that reads a
   * channel, such as that of an inline handler, and on one that runs a handler of this server, this only
   * starts the closing, which keeps to the limit all the same: the handler's own call is answered too.
   */
  public void close(Duration limit) {
    closing = true;
    long nanos = Limits.nanos(limit);
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

  /** Whether the calling thread runs a handler of this server, which must not wait for itself. */
  private boolean isInUseHere(Set<Peer> open) {
    boolean alone = responder == null ? Responder.OneWay.anyRunsHere() : responder.runsHere();
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
      // The transport had its time.
    }
  }
}
