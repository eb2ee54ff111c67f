package dev.repartee.reconnect;

import dev.repartee.CallBuilder;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Service;
import dev.repartee.internal.Clock;
import dev.repartee.internal.Times;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Channel;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A builder of peers that outlive their connections: whenever the connection is lost, such a peer
 * connects again, or starts the process of {@code exec:} again.
 *
 * <pre>{@code
 * try (Peer peer = Reconnecting.to("exec:plugin --quiet")
 *     .onConnected(connection -> connection.call("login", Void.class, token))
 *     .idempotent("price", "currencies")
 *     .connect()) {
 *   Prices prices = peer.proxy(Prices.class); // survives every connection
 * }
 * }</pre>
 *
 * <p>The result is a {@link Peer} like any other, with these differences:
 *
 * <ul>
 *   <li>A call that was sent and not answered when the connection is lost fails with {@link
 *       DisconnectedException}: the other side may have handled it. If it is idempotent, it is sent
 *       again instead, before later calls. It is idempotent if {@link #idempotent(String...)},
 *       {@link CallBuilder#idempotent} or {@link Rpc#idempotent} declares it.
 *   <li>A call that is refused because the server closes was not handled: it waits for the next
 *       connection, too, which is opened then. The old one ends when its calls are answered.
 *   <li>A call that is made while there is no connection waits for the next one, and is then sent
 *       in the order of the calls. Up to {@link #waitingCalls} calls wait, with params of {@link
 *       Limits#queuedBytes} together. A further one fails immediately with a {@link
 *       DisconnectedException}; its message contains the time without a connection, the reason, and
 *       the next attempt. The time-out of a call includes this wait.
 *   <li>A notification or a batch never waits and is never sent again: without a connection it
 *       fails with {@link DisconnectedException}. A batch belongs to the connection on which it
 *       began.
 *   <li>{@link Peer#isOpen} is true, and {@link Peer#closed} not complete, until the peer is closed
 *       or its attempts to connect end. {@link Peer#channel} describes the last connection.
 *   <li>Each connection has a separate peer, with the service and the options of this builder:
 *       {@link #onConnected}, the {@link Listener} of the options and the handlers of the service
 *       get that one. It ends with its connection. {@link Peer#close} of the reconnecting peer
 *       closes the present one, for {@link Limits#closeTimeout}, and ends all attempts.
 * </ul>
 *
 * <p>Only the loss of a connection starts an attempt. A peer over HTTP has no lasting connection:
 * each call opens one if necessary, and a call that fails is not sent again.
 *
 * <p>Not thread-safe; the peers are. A builder may make several peers.
 */
public final class Reconnecting {
  /** An action on a new connection. */
  @FunctionalInterface
  public interface Handshake {
    /**
     * Prepares a connection.
     *
     * @param peer the peer of this connection alone
     * @throws Exception if the connection cannot be used; it is closed, and the attempt has failed
     */
    void connected(Peer peer) throws Exception;
  }

  /** Opens a connection. */
  @FunctionalInterface
  interface Connector {
    Peer connect(Service service, Options options) throws Exception;
  }

  private static final int WAITING_CALLS = 1_000;

  private final Connector connector;
  private Service service = Service.NONE;
  private Options options = Options.DEFAULT;
  private Handshake handshake = peer -> {};
  private Predicate<String> idempotent = method -> false;
  private int waitingCalls = WAITING_CALLS;
  private Backoff backoff = Backoff.DEFAULT;
  private ReconnectListener listener = ReconnectListener.LOG;
  private Clock clock = Clock.SYSTEM;
  private DoubleSupplier random = Math::random;

  private Reconnecting(Connector connector) {
    this.connector = connector;
  }

  /**
   * Starts a builder of peers that connect to a URI.
   *
   * @throws IllegalArgumentException if the URI is malformed, or no installed transport supports it
   */
  public static Reconnecting to(String uri) {
    Transport.of(Endpoint.parse(uri));
    return new Reconnecting((service, options) -> Repartee.connect(uri, service, options));
  }

  /**
   * Starts a builder of peers whose connections the application opens: {@code () ->
   * Channel.over(new ProcessBuilder("plugin").directory(folder), Framing.LINES, Limits.DEFAULT)}.
   *
   * @param source returns a new channel each time, or throws; it runs on a thread that may block
   */
  public static Reconnecting to(Callable<? extends Channel> source) {
    return new Reconnecting((service, options) -> Peer.open(source.call(), service, options));
  }

  /** Sets the service that is offered to the other side on each connection; none by default. */
  public Reconnecting service(Service service) {
    this.service = service;
    return this;
  }

  /** Sets the options of each connection. */
  public Reconnecting options(Options options) {
    this.options = options;
    return this;
  }

  /**
   * Adds an action that runs on each new connection, before the calls that wait are sent: it logs
   * in, sends {@code initialize}, or subscribes again. It runs on a thread that may block. Actions
   * run in the order they were added. If one throws, the connection is closed, and the attempt has
   * failed.
   *
   * <p>Subscriptions and streams of the connection before have ended with a {@link
   * DisconnectedException}. The action can begin them again, with the peer that it gets.
   */
  public Reconnecting onConnected(Handshake action) {
    Handshake earlier = handshake;
    handshake = peer -> {
      earlier.connected(peer);
      action.connected(peer);
    };
    return this;
  }

  /**
   * Adds an action as {@link #onConnected} does, which lasts until its stage has completed. If the
   * stage fails, or has not completed after {@link Limits#callTimeout}, the attempt has failed.
   */
  public Reconnecting onConnectedAsync(
      Function<? super Peer, ? extends CompletionStage<?>> action) {
    return onConnected(peer -> await(action.apply(peer)));
  }

  private void await(CompletionStage<?> stage) throws Exception {
    Duration limit = options.limits().callTimeout();
    try {
      if (limit.isZero()) {
        stage.toCompletableFuture().get();
      } else {
        stage.toCompletableFuture().get(Times.nanos(limit), TimeUnit.NANOSECONDS);
      }
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw e;
    } catch (TimeoutException e) {
      throw new TimeoutException("its stage has not completed after " + limit.toMillis() + " ms");
    }
  }

  /**
   * Declares methods idempotent: handling a call twice has the same effect as once. Pending calls
   * of these methods are sent again after the connection was lost. Adds to earlier declarations.
   */
  public Reconnecting idempotent(String... methods) {
    return idempotent(Set.of(methods)::contains);
  }

  /**
   * Declares the methods idempotent whose names a predicate accepts; see {@link
   * #idempotent(String...)}. It is asked on the thread that makes the call, and must be
   * thread-safe.
   */
  public Reconnecting idempotent(Predicate<String> methods) {
    idempotent = idempotent.or(methods);
    return this;
  }

  /**
   * Sets the number of calls that may wait while there is no connection; 1,000 by default, and 0 if
   * such calls should fail immediately. Idempotent calls that are to be sent again always wait;
   * {@link Limits#pendingCalls} bounds their number.
   *
   * @throws IllegalArgumentException if the number is negative
   */
  public Reconnecting waitingCalls(int calls) {
    if (calls < 0) {
      throw new IllegalArgumentException("the number of waiting calls is not negative: " + calls);
    }
    waitingCalls = calls;
    return this;
  }

  /** Sets the pauses between attempts and the end of all attempts; {@link Backoff#DEFAULT}. */
  public Reconnecting backoff(Backoff backoff) {
    this.backoff = backoff;
    return this;
  }

  /** Sets the listener; {@link ReconnectListener#LOG} by default. */
  public Reconnecting listener(ReconnectListener listener) {
    this.listener = listener;
    return this;
  }

  /** Sets the clock of the pauses, and their random numbers from 0 to 1, for tests. */
  Reconnecting clock(Clock clock, DoubleSupplier random) {
    this.clock = clock;
    this.random = random;
    return this;
  }

  /**
   * Returns a peer after its first connection was opened and {@link #onConnected} has run. There is
   * one attempt, on the calling thread: a mistake in the address is noticed here.
   *
   * @throws IOException if the first attempt fails
   * @throws IllegalArgumentException if the address or an option is malformed
   * @throws IllegalStateException over HTTP and WebSocket on a {@linkplain
   *     dev.repartee.transport.ReadingThread thread that reads}
   */
  public Peer connect() throws IOException {
    return reconnector().connect();
  }

  /**
   * Returns a peer without waiting. It connects in the background, as often as necessary; until
   * then calls wait.
   */
  public Peer connectInBackground() {
    return reconnector().connectInBackground();
  }

  private Reconnector reconnector() {
    return new Reconnector(
        connector,
        service,
        options,
        handshake,
        idempotent,
        waitingCalls,
        backoff,
        listener,
        clock,
        random);
  }
}
