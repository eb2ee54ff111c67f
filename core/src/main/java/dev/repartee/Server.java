package dev.repartee;

import dev.repartee.access.Access;
import dev.repartee.access.AccessException;
import dev.repartee.access.Principal;
import dev.repartee.framing.Envelope;
import dev.repartee.internal.Times;
import dev.repartee.internal.UserCode;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.message.Notification;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.FrameService;
import dev.repartee.transport.MessageChannel;
import dev.repartee.transport.ReadingThread;
import dev.repartee.transport.Transport;
import dev.repartee.transport.http.HttpAcceptor;
import dev.repartee.transport.http.HttpGate;
import dev.repartee.transport.http.HttpRequest;
import dev.repartee.transport.http.HttpResponse;
import dev.repartee.transport.http.HttpService;
import dev.repartee.transport.http.HttpTransport;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
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
  private final ServerStatus status;

  /** The services of this endpoint: one, or one for each path of {@link HttpRoutes}. */
  private final List<ServiceAcceptor> acceptors = new ArrayList<>();

  /**
   * The open connections. Added by {@link ServiceAcceptor#accept}, removed by {@link #left(Peer)}.
   */
  private final Set<Peer> peers = ConcurrentHashMap.newKeySet();

  /** The channels of callers that are being authenticated. They are not started. */
  private final Set<Channel> newcomers = ConcurrentHashMap.newKeySet();

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

  private Server(Options options) {
    this.options = options;
    this.status = new ServerStatus(options.clock());
  }

  /**
   * Serves a service on a transport that is not found by its scheme, such as the transport of a
   * servlet container; see {@link Repartee#listen(String, Service, Options)}.
   *
   * @throws IOException if the transport cannot listen
   * @throws IllegalArgumentException if the transport refuses the endpoint
   */
  public static Server listen(
      Transport transport, Endpoint endpoint, Service service, Options given) throws IOException {
    Options options = given.at(endpoint);
    Server server = new Server(options);
    return server.listen(
        transport, endpoint, server.acceptor(new ServerContext(service, options, server.status)));
  }

  /**
   * Serves the peers of a factory on a transport that is not found by its scheme; see {@link
   * Repartee#listen(String, PeerFactory, Options)}.
   *
   * @throws IOException if the transport cannot listen
   * @throws IllegalArgumentException if the transport refuses the endpoint
   */
  public static Server listen(
      Transport transport, Endpoint endpoint, PeerFactory factory, Options options)
      throws IOException {
    requireNoEnvelope(endpoint);
    requireRules(endpoint.shown(), factory, options.access());
    Server server = new Server(options);
    return server.listen(
        transport, endpoint, server.acceptor(factory, null, true, Admission.of(options, factory)));
  }

  private static void requireNoEnvelope(Endpoint endpoint) {
    Envelope envelope = endpoint.envelope();
    if (envelope != null) {
      throw new IllegalArgumentException("the option envelope=" + envelope.name() + " of '"
          + endpoint.bare() + "' has no effect here, since each peer has its own options;"
          + " set the dialect there");
    }
  }

  /**
   * Serves several paths on a transport that is not found by its scheme; see {@link
   * Repartee#listen(String, HttpRoutes, Options)}.
   *
   * @throws IOException if the transport cannot listen
   * @throws IllegalArgumentException if the transport refuses the endpoint, or is not one of HTTP
   */
  public static Server listen(
      Transport transport, Endpoint endpoint, HttpRoutes routes, Options options)
      throws IOException {
    requireNoEnvelope(endpoint);
    if (!(transport instanceof HttpTransport)) {
      throw new IllegalArgumentException(
          endpoint.scheme() + ": has no paths; serve them at http: or https:, or one service here");
    }
    Server server = new Server(options);
    Map<String, HttpAcceptor> paths = new LinkedHashMap<>();
    routes.routes().forEach((path, route) -> {
      requireRules(path, route, options.access());
      paths.put(path, server.acceptor(route));
    });
    return server.listen(transport, endpoint, server.new PathAcceptor(routes, paths));
  }

  /** Requires that rules of the endpoint are not meant for a path that has none. */
  private static void requireRules(String path, HttpRoutes.Route route, Access access) {
    ServerContext context = route.context();
    PeerFactory peers = route.peers();
    if (context != null) {
      requireRules(path, context.options().access(), access);
    } else if (peers != null) {
      requireRules(path, peers, access);
    }
  }

  private static void requireRules(String place, PeerFactory peers, Access access) {
    Access own = peers.access();
    if (own != null) { // otherwise each peer may have rules
      requireRules(place, own, access);
    }
  }

  private static void requireRules(String place, Access own, Access access) {
    if (access.hasRules() && !own.hasRules()) {
      throw new IllegalArgumentException(
          "the rules of Options.access given to listen have no effect for the calls at " + place
              + "; set them in the options of the path or protocol");
    }
  }

  private Server listen(Transport transport, Endpoint endpoint, Transport.Acceptor acceptor)
      throws IOException {
    listening =
        transport.listen(EndpointDialect.framed(options, endpoint), options.limits(), acceptor);
    OpenListener.check(endpoint, options.access());
    endIfLast(); // its only connection may have ended before listening was set
    return this;
  }

  private ServiceAcceptor acceptor(HttpRoutes.Route route) {
    ServerContext context = route.context();
    HttpService http = route.http();
    if (context != null) {
      return acceptor(context.in(status));
    }
    if (http != null) {
      return acceptor(HttpRoutes.onlyHttp(http), null, false, Admission.of(options));
    }
    PeerFactory peers = Objects.requireNonNull(route.peers());
    return acceptor(peers, null, true, Admission.of(options, peers));
  }

  private ServiceAcceptor acceptor(ServerContext context) {
    FrameResponder responder =
        new FrameResponder(context, new ChannelInfo("", "", "message"), Attributes.NONE);
    Admission own = context.admission();
    return acceptor(
        channel -> Peer.open(channel, context, true),
        responder,
        true,
        own == null ? Admission.of(options) : own);
  }

  private ServiceAcceptor acceptor(
      PeerFactory factory,
      @Nullable FrameResponder responder,
      boolean takesConnections,
      @Nullable Admission admission) {
    ServiceAcceptor acceptor = new ServiceAcceptor(factory, responder, takesConnections, admission);
    acceptors.add(acceptor);
    return acceptor;
  }

  /** Receives connections and requests for one service, on the reading threads of the transport. */
  private final class ServiceAcceptor implements HttpAcceptor {
    final PeerFactory factory;

    /**
     * Serves single frames that arrive without a connection, as in an HTTP POST; null if the {@link
     * PeerFactory} serves connections only.
     */
    final @Nullable FrameResponder responder;

    private final boolean takesConnections;

    /** Authenticates callers; null if the endpoint has no authenticator. */
    private final @Nullable Admission admission;

    ServiceAcceptor(
        PeerFactory factory,
        @Nullable FrameResponder responder,
        boolean takesConnections,
        @Nullable Admission admission) {
      this.admission = admission;
      this.factory = factory;
      this.responder = responder;
      this.takesConnections = takesConnections;
    }

    @Override
    public void accept(Channel channel) {
      if (admission == null
          || channel instanceof MessageChannel // the senders of its messages are authenticated
          || Admission.isKnown(channel.attributes())) {
        admit(channel);
        return;
      }
      newcomers.add(channel);
      if (closing) {
        turnAway(channel); // close() may have looked for newcomers before
        return;
      }
      CompletableFuture<Attributes> asked = admission.admit(channel.info(), channel.attributes());
      asked.whenComplete((known, refusal) -> {
        if (!newcomers.remove(channel)) {
          return; // close() has aborted the channel
        }
        if (refusal == null) {
          admit(channel, Objects.requireNonNull(known.get(Principal.KEY)));
        } else {
          refuse(channel, Admission.refusal(refusal));
        }
      });
    }

    /** Serves a connection after its caller was authenticated. */
    private void admit(Channel channel, Principal principal) {
      try {
        admit(new KnownChannel(channel, principal));
      } catch (RuntimeException | Error e) {
        channel.abort(e);
        refused(channel.info(), "a connection could not be served: " + e);
      }
    }

    private void refuse(Channel channel, AccessException refusal) {
      channel.abort(refusal);
      refused(
          channel.info(),
          "a connection was refused with " + refusal.status() + ": " + refusal.getMessage());
      onceLeft = true;
      endIfLast();
    }

    /** Serves a connection. */
    private void admit(Channel channel) {
      Peer peer = open(channel);
      Expiry.watch(peer, options, channel.attributes().get(Principal.KEY));
      peer.ending().whenEnded(left);
      peers.add(peer);
      if (peer.ending().hasEnded()) {
        left(peer); // it may have ended before it was added
      }
      if (closing) {
        // It was accepted after close() copied the set of peers, and may run calls already.
        peer.ending().closeWithin(options.limits().closeTimeout());
      }
    }

    /** Opens the peer, which is counted before it can be asked for the counts. */
    private Peer open(Channel channel) {
      status.opened();
      try {
        Peer peer = factory.open(channel);
        peer.countFor(status); // of a factory that does not know the server
        return peer;
      } catch (RuntimeException | Error e) {
        status.closed();
        throw e;
      }
    }

    @Override
    public FrameService responder() {
      return responder == null ? HttpAcceptor.super.responder() : responder;
    }

    @Override
    public @Nullable HttpService http(String path) {
      return factory.http(path);
    }

    @Override
    public @Nullable HttpGate gate() {
      return admission == null ? null : admission.gate();
    }

    @Override
    public boolean takesConnections() {
      return takesConnections;
    }

    @Override
    public void refused(ChannelInfo channel, String reason) {
      Server.this.refused(channel, reason);
    }
  }

  /** Distributes the requests of an HTTP endpoint over the services of its paths. */
  private final class PathAcceptor implements HttpAcceptor {
    private final HttpRoutes routes;
    private final Map<String, HttpAcceptor> paths;

    PathAcceptor(HttpRoutes routes, Map<String, HttpAcceptor> paths) {
      this.routes = routes;
      this.paths = paths;
    }

    @Override
    public void accept(Channel channel) {
      throw new IllegalStateException("connections belong to one of the paths");
    }

    @Override
    public Map<String, HttpAcceptor> paths() {
      return paths;
    }

    @Override
    public @Nullable Function<HttpRequest, @Nullable HttpResponse> filter() {
      return routes.hasFilters() ? this::filter : null;
    }

    private @Nullable HttpResponse filter(HttpRequest request) {
      try {
        return routes.filter(request, closing);
      } catch (RuntimeException | Error e) {
        refused(request.channel(), "a filter of HTTP requests failed: " + e);
        return HttpResponse.text(500, "The request could not be checked.");
      }
    }

    @Override
    public void refused(ChannelInfo channel, String reason) {
      Server.this.refused(channel, reason);
    }
  }

  /** Ends a connection during the authentication of its caller, because the server closes. */
  private void turnAway(Channel channel) {
    if (newcomers.remove(channel)) {
      channel.abort(null);
    }
  }

  private void refused(ChannelInfo channel, String reason) {
    UserCode.run(() -> options.listener().violation(channel, reason));
  }

  private void left(Peer peer) {
    if (peers.remove(peer)) {
      status.closed();
    }
    onceLeft = true;
    endIfLast();
  }

  /**
   * Releases {@link #join} if the only connection of a single-connection endpoint has ended, or if
   * a closing server has no more work. Called after each change of a field that this depends on;
   * no lock is needed, because all of them only change in one direction.
   */
  private void endIfLast() {
    Transport.Listening bound = listening;
    boolean single = bound != null && bound.isSingle() && onceLeft;
    boolean last = closing && finished && peers.isEmpty();
    if (last) {
      UserCode.forEach(acceptors, each -> each.factory.closed());
    }
    if (single || last) {
      ended.countDown();
    }
  }

  private Transport.Listening listening() {
    return Objects.requireNonNull(listening);
  }

  /**
   * Returns the bound endpoint, for clients to connect to. If port 0 was given, it has the real
   * port.
   */
  public Endpoint endpoint() {
    return listening().endpoint();
  }

  /**
   * Returns the port for clients to connect to: the real port if port 0 was given.
   *
   * @throws IllegalStateException if the transport listens on no TCP port, as with {@code unix:},
   *     {@code stdio:} and message brokers
   */
  public int port() {
    return listening()
        .port()
        .orElseThrow(() -> new IllegalStateException(
            "'" + endpoint().shown() + "' has no port; endpoint() returns its address"));
  }

  /** Returns the load of this moment: connections, calls, errors, bytes and memory. */
  public ServerFigures figures() {
    return status.figures();
  }

  /** Returns the connections that are open now, for calls to the clients. The set is a copy. */
  public Set<Peer> peers() {
    return Set.copyOf(peers);
  }

  /**
   * Sends a notification with arguments by position to all open connections, as {@link
   * #broadcast(Notification)} does.
   *
   * @return the number of connections that do not get it
   */
  public int broadcast(String method, @Nullable Object... args) {
    return broadcast(new Notification(method, options.types().toJson(args)));
  }

  /**
   * Sends a notification to all open connections. Never waits: a connection whose write queue is
   * full, because its client does not read fast enough, does not get this notification, and delays
   * no other. Clients over HTTP have no connection here.
   *
   * @return the number of connections that do not get it
   * @throws LimitException if the notification is too large
   * @throws RuntimeException if a layer of {@link Options#callLayers} throws it. The other
   *     connections get the notification all the same
   */
  public int broadcast(Notification notification) {
    int left = 0;
    RuntimeException failure = null;
    for (Peer peer : peers) {
      try {
        left += peer.tryNotify(notification) ? 0 : 1;
      } catch (DisconnectedException e) {
        // It has ended in the meantime.
      } catch (RuntimeException e) {
        failure = failure == null ? e : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
    return left;
  }

  /**
   * Waits until the server has stopped: until it was closed, or, if the endpoint has only one
   * connection (as {@code stdio:} has), until that connection has ended and all its requests were
   * answered.
   *
   * <p>While a thread waits here, the end of the JVM by SIGTERM, SIGINT or {@link System#exit}
   * first {@linkplain #close() closes} this server: running handlers have {@link
   * Limits#closeTimeout}, and their answers are sent. A process that is killed sends none.
   *
   * <p>A call with a handler that calls {@code System.exit} gets no answer, and the server does not
   * wait for it. Only in a request without a connection (HTTP) and in an {@linkplain Lane#INLINE
   * inline} handler does it delay the end of the JVM, by {@code closeTimeout} and a second.
   *
   * @throws InterruptedException if the calling thread is interrupted while it waits
   */
  public void join() throws InterruptedException {
    Thread hook = new Thread(this::closeAtExit, "repartee-server-ending");
    try {
      Runtime.getRuntime().addShutdownHook(hook);
    } catch (IllegalStateException terminating) {
      // The JVM is shutting down, and does not wait for this server.
    }
    try {
      ended.await();
    } finally {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException terminating) {
        // The hook closes the server.
      }
    }
  }

  private void closeAtExit() {
    UserCode.forEach(peers, peer -> peer.ending().abandonExiting());
    close();
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
   * write queued output. Requests without a connection, as over HTTP, are refused; running ones
   * have the same limit, and their responses announce that they are the last.
   *
   * <p>On a {@linkplain ReadingThread reading thread}, as in an inline handler, and on a thread
   * that runs a handler of this server, this method only starts the close and returns, since
   * waiting would be a deadlock. The limit still holds, and the request of that handler is still
   * answered.
   *
   * @param limit the time that running handlers have, from zero
   */
  public void close(Duration limit) {
    closing = true;
    long nanos = Times.nanos(limit);
    long deadline = System.nanoTime() + nanos;
    UserCode.forEach(acceptors, each -> each.factory.closing());
    CompletionStage<?> rest = listening().finish(Duration.ofNanos(nanos));
    UserCode.forEach(newcomers, this::turnAway);
    List<Ending> open = peers().stream().map(Peer::ending).toList();
    open.forEach(Ending::start);
    if (ReadingThread.isCurrent() || isInUseHere(open)) {
      open.forEach(ending -> ending.endAfter(limit));
      rest.whenComplete((nothing, failure) -> {
        finished = true;
        endIfLast();
      });
    } else {
      Ending.finish(open, deadline);
      await(rest, deadline + Ending.FLUSH_TIME.toNanos());
      UserCode.forEach(acceptors, each -> each.factory.closed());
      ended.countDown();
    }
  }

  /** Whether the calling thread runs a handler of this server, which would wait for itself. */
  private boolean isInUseHere(List<Ending> open) {
    boolean alone = acceptors.stream()
        .map(each -> each.responder)
        .anyMatch(r -> r == null ? FrameResponder.anyRunsHere() : r.runsHere());
    return alone || open.stream().anyMatch(Ending::isInUseHere);
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
