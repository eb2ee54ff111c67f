package dev.repartee.balance;

import dev.repartee.CallBuilder;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Rpc;
import dev.repartee.Service;
import dev.repartee.framing.Envelope;
import dev.repartee.internal.Clock;
import dev.repartee.internal.Times;
import dev.repartee.limits.Limits;
import dev.repartee.reconnect.Backoff;
import dev.repartee.reconnect.Reconnecting;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.ReadingThread;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A builder of peers that call one service at several endpoints, such as the instances of a server.
 *
 * <pre>{@code
 * try (Peer peer = Balanced.to(List.of("tcp://one:7000", "tcp://two:7000"))
 *     .policy(Policy.LEAST_PENDING)
 *     .idempotent("price")
 *     .connect()) {
 *   double price = peer.call("price", double.class, "tea");
 * }
 * }</pre>
 *
 * <p>The result is a {@link Peer} like any other. It has a connection to every endpoint, and the
 * {@link #policy} picks one for each call:
 *
 * <ul>
 *   <li>A call that was certainly not handled goes to another endpoint: it was not sent, or a server
 *       of this library has refused it because it closes.
 *   <li>A call that was sent and not answered when its connection is lost fails with {@link
 *       DisconnectedException}: the server may have handled it. If it is idempotent, it goes to
 *       another endpoint instead, and is sent over at most three connections. {@link
 *       #idempotent(String...)}, {@link CallBuilder#idempotent} or {@link Rpc#idempotent} declares
 *       it.
 *   <li>While no endpoint is available, calls wait for one, up to {@link #waitingCalls}, and their
 *       time-outs include this wait. The messages of their failures name the endpoints and the
 *       reasons.
 *   <li>A notification goes to one endpoint, which the policy picks; it never waits. A batch belongs
 *       to the connection that is picked when {@link Peer#batch} is called, a stream or subscription
 *       to the connection that is picked when it is subscribed to. They fail with that connection.
 *   <li>The service of this builder is offered on each connection. Its handlers, {@link
 *       #onConnected} and the {@link Listener} of the options get the peer of that connection.
 * </ul>
 *
 * <p>A lost connection is opened again with a {@link #backoff}; the name of the host is resolved
 * again then. While an endpoint has no connection, it gets no calls. An endpoint that does not answer
 * pings is ejected: it gets no calls until it answers one, and a new connection after twice as many
 * failures; see {@link #health}. A server of this library that closes announces it on each
 * connection, over HTTP/1.1 with its last response: no call is lost, since those that race with the
 * announcement are refused and go to another endpoint.
 *
 * <p>{@link Peer#isOpen} is true, and {@link Peer#closed} not complete, until the peer is closed or
 * the attempts to reach all endpoints have ended.
 *
 * <p>Not thread-safe; the peers are. A builder may make several peers.
 */
public final class Balanced {
  private static final String PING = "rpc.ping";
  private static final int WAITING_CALLS = 1_000;
  private static final Duration INTERVAL = Duration.ofSeconds(5);
  private static final int EJECT_AFTER = 3;

  private final List<String> uris;
  Policy policy = Policy.ROUND_ROBIN;
  Predicate<String> idempotent = method -> false;
  int waitingCalls = WAITING_CALLS;
  BalanceListener listener = BalanceListener.LOG;
  Clock clock = Clock.SYSTEM;
  private Service service = Service.NONE;
  private Options options = Options.DEFAULT;
  private Consumer<Reconnecting> handshake = connections -> {};
  private boolean hasHandshake;
  private Backoff backoff = Backoff.DEFAULT;
  private String pingMethod = PING;
  private Duration interval = INTERVAL;
  private int ejectAfter = EJECT_AFTER;

  private Balanced(List<String> uris) {
    this.uris = uris;
  }

  /**
   * Starts a builder of peers that connect to each of these URIs.
   *
   * @throws IllegalArgumentException if the list is empty or names a URI twice, if a URI is
   *     malformed or no installed transport supports it, or if the URIs name different envelopes
   */
  public static Balanced to(List<String> uris) {
    List<String> all = List.copyOf(uris);
    if (all.isEmpty()) {
      throw new IllegalArgumentException("there is no endpoint");
    }
    String envelope = envelope(all.get(0));
    Set<String> seen = new HashSet<>();
    for (String uri : all) {
      Reconnecting.to(uri); // checks it
      if (!seen.add(uri)) {
        throw new IllegalArgumentException(
            "the endpoint '" + Endpoint.shown(uri) + "' is named twice");
      }
      if (!envelope(uri).equals(envelope)) {
        throw new IllegalArgumentException("the endpoints have different envelopes: '"
            + Endpoint.shown(all.get(0)) + "' and '" + Endpoint.shown(uri) + "'");
      }
    }
    return new Balanced(all);
  }

  private static String envelope(String uri) {
    Envelope envelope = Endpoint.parse(uri).envelope();
    return envelope == null ? "" : envelope.name();
  }

  /** Sets the choice of the endpoint for each call; {@link Policy#ROUND_ROBIN} by default. */
  public Balanced policy(Policy policy) {
    this.policy = policy;
    return this;
  }

  /** Sets the service that is offered to the other side on each connection; none by default. */
  public Balanced service(Service service) {
    this.service = service;
    return this;
  }

  /** Sets the options of each connection. */
  public Balanced options(Options options) {
    this.options = options;
    return this;
  }

  /** Adds an action that runs on each new connection; see {@link Reconnecting#onConnected}. */
  public Balanced onConnected(Reconnecting.Handshake action) {
    return handshake(connections -> connections.onConnected(action));
  }

  /** Adds an action for each new connection; see {@link Reconnecting#onConnectedAsync}. */
  public Balanced onConnectedAsync(Function<? super Peer, ? extends CompletionStage<?>> action) {
    return handshake(connections -> connections.onConnectedAsync(action));
  }

  private Balanced handshake(Consumer<Reconnecting> next) {
    handshake = handshake.andThen(next);
    hasHandshake = true;
    return this;
  }

  /**
   * Declares methods idempotent: handling a call twice has the same effect as once. Adds to earlier
   * declarations.
   */
  public Balanced idempotent(String... methods) {
    return idempotent(Set.of(methods)::contains);
  }

  /**
   * Declares the methods idempotent whose names a predicate accepts. It is asked on the thread that
   * makes the call, and must be thread-safe.
   */
  public Balanced idempotent(Predicate<String> methods) {
    idempotent = idempotent.or(methods);
    return this;
  }

  /**
   * Sets the number of calls that may wait while no endpoint is available, with params of {@link
   * Limits#queuedBytes} together; 1,000 by default, and 0 if such calls should fail immediately.
   * Calls that have to be sent again always wait; {@link Limits#pendingCalls} bounds their number.
   *
   * @throws IllegalArgumentException if the number is negative
   */
  public Balanced waitingCalls(int calls) {
    if (calls < 0) {
      throw new IllegalArgumentException("the number of waiting calls is not negative: " + calls);
    }
    waitingCalls = calls;
    return this;
  }

  /**
   * Sets the pauses between attempts to connect to one endpoint; {@link Backoff#DEFAULT}. When the
   * attempts for all endpoints have ended, the peer ends.
   */
  public Balanced backoff(Backoff backoff) {
    this.backoff = backoff;
    return this;
  }

  /** Sets the listener; {@link BalanceListener#LOG} by default. */
  public Balanced listener(BalanceListener listener) {
    this.listener = listener;
    return this;
  }

  /**
   * Sets the time between two pings of an endpoint, which is also the time for the answer; 5 s by
   * default. A new connection has to answer a ping before its first call. Zero for no pings: then no
   * endpoint with an open connection is ejected, and the announcement of closing servers is not
   * requested.
   *
   * @throws IllegalArgumentException if the time is negative or more than 292 years
   */
  public Balanced health(Duration interval) {
    this.interval = Times.require("interval", interval);
    return this;
  }

  /**
   * Sets the method of the pings, which has no params; {@code rpc.ping} by default. Any answer counts,
   * also an error: a server that does not know the method answers, too. So do answers to other calls.
   * Pings pass the {@linkplain Options#callLayers call layers}, which may add credentials; a layer
   * that answers calls itself lets them pass ({@link dev.repartee.PeerFlow#isPing}).
   */
  public Balanced pingMethod(String method) {
    this.pingMethod = method;
    return this;
  }

  /**
   * Sets the number of failed pings in a row after which an endpoint is ejected; 3 by default. Over
   * HTTP, calls without a response count, too; an endpoint that refuses a connection is not available
   * from then on. After twice as many failures the connection is closed: its pending calls fail, or
   * go to other endpoints if they are idempotent.
   *
   * @throws IllegalArgumentException if the number is not positive
   */
  public Balanced ejectAfter(int failures) {
    if (failures < 1) {
      throw new IllegalArgumentException("at least one failure is needed, not " + failures);
    }
    ejectAfter = failures;
    return this;
  }

  /** Sets the clock of the pings, for tests. */
  Balanced clock(Clock clock) {
    this.clock = clock;
    return this;
  }

  Health health() {
    return new Health(pingMethod, interval, ejectAfter);
  }

  /** Returns the builder of the connections to an endpoint. */
  Reconnecting reconnecting(String uri) {
    Reconnecting connections =
        Reconnecting.to(uri).service(service).options(options).backoff(backoff);
    handshake.accept(connections);
    return connections;
  }

  /**
   * Returns a peer when the first endpoint is available; the others connect in the background. Waits
   * for {@link Limits#connectTimeout} at most, and for {@link Limits#callTimeout} more if there are
   * {@link #onConnected} actions.
   *
   * @throws IOException if no endpoint is available in time, or the first attempt of each endpoint
   *     has failed; the message names the endpoints and the reasons
   * @throws IllegalStateException on a {@linkplain ReadingThread thread that reads}, which must not
   *     wait
   */
  public Peer connect() throws IOException {
    if (ReadingThread.isCurrent()) {
      throw new IllegalStateException(
          "a thread that reads must not wait for connections; use connectInBackground()");
    }
    Balancer balancer = balancer();
    Peer peer = balancer.open(this, uris);
    try {
      balancer.awaitFirst(limit());
    } catch (IOException e) {
      peer.close(Duration.ZERO);
      throw e;
    }
    return peer;
  }

  /** Returns the nanoseconds until {@link #connect} fails. */
  private long limit() {
    Duration connect = options.limits().connectTimeout();
    Duration call = options.limits().callTimeout();
    boolean isEndless = connect.isZero() || hasHandshake && call.isZero();
    return isEndless
        ? Long.MAX_VALUE
        : Times.nanos(connect.plus(hasHandshake ? call : Duration.ZERO));
  }

  /** Returns a peer without waiting. It connects in the background; until then calls wait. */
  public Peer connectInBackground() {
    return balancer().open(this, uris);
  }

  private Balancer balancer() {
    return new Balancer(this, options.at(Endpoint.parse(uris.get(0))), uris);
  }
}
