package dev.repartee.bridge;

import dev.repartee.Call;
import dev.repartee.ForwardingListener;
import dev.repartee.Lane;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.ReparteeException;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.access.Access;
import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import dev.repartee.message.RpcError;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Forwards messages between its clients and one or more backends, over any transport and in any
 * message format on each side.
 *
 * <pre>{@code
 * try (Bridge bridge = Bridge.to("unix:/run/app.sock").open()) {
 *   bridge.listen("ws://127.0.0.1:8645/");
 *   bridge.listen("tcp://127.0.0.1:7001#envelope=jsonrpc-1.0");
 *   ...
 * }
 * }</pre>
 *
 * <ul>
 *   <li>The bridge assigns new ids on each side; the ids of several clients never collide. An
 *       answer has the id of its request, literally. Params, results and errors are not changed.
 *   <li>Messages reach the other side in the order they arrived, in both directions. A batch is
 *       forwarded as single messages, and answered as a batch.
 *   <li>Cancellation and the progress of the {@link dev.repartee.message.Dialect} are translated. If a
 *       client disconnects, its calls are cancelled at the backend. A cancellation in the form of
 *       another protocol is not forwarded, because its id may identify another call at the other
 *       side: a notification is dropped and reported to the listener, a request is answered with
 *       -32600. Set {@code #envelope=lsp} for LSP.
 *   <li>By default all clients share a backend. Its notifications are sent to all clients. Its
 *       requests are sent to the client if there is only one, and are answered with -32601
 *       otherwise. A client that reads too slowly may fall behind by twice
 *       {@link Limits#outboundBytes}, then its connection ends; it never delays other clients.
 *   <li>Several backends are assigned to clients in turn; a client uses another one while its
 *       backend is not connected. The bridge reconnects to a lost backend. Its calls in flight fail
 *       with {@link #LOST}; new calls wait for the connection, for {@link Limits#connectTimeout} of
 *       the backend options; then they fail with {@link #UNREACHABLE}.
 *   <li>With {@link Builder#perClient} each client has its own connection (or process) to the
 *       backend. When one of the two connections ends, the other ends, too.
 *   <li>If a side does not read, the bridge stops reading from the other side. The {@link Limits}
 *       of both sides and the memory budget of the process therefore limit the memory of a bridge.
 *   <li>A stream in the form of a call is refused: its caller gets -32600. Subscriptions consist of
 *       a call and notifications, and are forwarded. If a shared backend describes them in
 *       {@code rpc.discover}, their items are sent only to their client, they end when it
 *       disconnects, and the clients of one address may use at most half of the subscriptions that
 *       others leave free.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class Bridge implements AutoCloseable {
  /**
   * The code of the error for a call that was sent to a backend, if the connection was lost before
   * the answer. The backend may have run the call.
   */
  public static final int LOST = RpcError.OUTCOME_UNKNOWN;

  /**
   * The code of the error for a call that certainly did not run: no backend is connected, or no
   * worker behind a broker has received it. Such a call may be sent again.
   */
  public static final int UNREACHABLE = -32007;

  private static final int CLIENTS = 128;

  private final Options options;
  private final Backends backends;
  private final Service service =
      Service.builder().others(Lane.INLINE, this::fromClient).build();
  private final Map<Peer, Client> clients = new ConcurrentHashMap<>();
  private final List<Server> servers = new CopyOnWriteArrayList<>();

  private Bridge(Options options, Backends backends) {
    this.options = passing(options, new Clients(options.listener()));
    this.backends = backends;
  }

  /**
   * Starts a builder of bridges to one or more equivalent backends.
   *
   * @throws IllegalArgumentException if there is none, if a URI is malformed, or if no installed
   *     transport supports it
   */
  public static Builder to(String... uris) {
    return new Builder(List.of(uris));
  }

  /** A builder of bridges. Not thread-safe. */
  public static final class Builder {
    private final List<String> uris;
    private Options clientOptions = Options.DEFAULT;
    private Options backendOptions = Options.DEFAULT;
    private List<String> headers = List.of();
    private Duration timeout = Duration.ZERO;
    private Duration patience = SubscriptionMethods.LIMIT;
    private boolean perClient;
    private int clients = CLIENTS;

    private Builder(List<String> uris) {
      if (uris.isEmpty()) {
        throw new IllegalArgumentException("a bridge needs the URI of a backend");
      }
      uris.forEach(uri -> {
        Endpoint endpoint = Endpoint.parse(uri);
        Transport.of(endpoint);
        Options.DEFAULT.at(endpoint); // refuses an unknown envelope
      });
      this.uris = uris;
    }

    /**
     * Sets the options of the connections to clients, such as layers that authenticate them. The
     * built-in methods of this library are not served, except cancellation. If the options have
     * {@linkplain Options.Builder#access rules}, the answer of a backend to {@code rpc.discover} is
     * reduced to the methods that the caller may call.
     */
    public Builder clientOptions(Options options) {
      clientOptions = options;
      return this;
    }

    /** Sets the options of the connections to backends, such as headers. */
    public Builder backendOptions(Options options) {
      backendOptions = options;
      return this;
    }

    /**
     * Sets the header fields of clients that the backends get with each call; none by default. The
     * header fields of a client usually identify it to the bridge, and a backend that gets them can
     * act as the client. A call with a field that this side sets itself, such as {@code Host} or
     * {@code Content-Length}, is refused with -32600 instead: it could change where a message ends.
     *
     * @param names the names, such as {@code Authorization} or {@code traceparent}
     * @throws IllegalArgumentException if a name is not allowed, or a backend gets no header fields
     *     with calls, such as one over TCP or WebSocket
     */
    public Builder passHeaders(String... names) {
      for (String name : names) {
        Headers.NONE.with(name, "");
      }
      for (String uri : names.length == 0 ? List.<String>of() : uris) {
        Endpoint endpoint = Endpoint.parse(uri);
        Transport transport = Transport.of(endpoint);
        if (!transport.hasHeaders() || transport.hasHandshake(endpoint)) {
          throw new IllegalArgumentException(
              endpoint.shown() + " gets no header fields with calls; http: and brokers do");
        }
      }
      headers = List.of(names);
      return this;
    }

    /**
     * Sets the time from the arrival of a call of a client to its answer; zero, the default, for no
     * limit. Progress does not extend it. After this time the client gets {@link #LOST}, and the
     * call is cancelled at the backend. A message broker drops a message that no worker has
     * received by then. A shorter {@link Limits#handlerTimeout} of the client options takes
     * precedence.
     *
     * <p>Set it for backends behind a broker: a lost worker is not detected, and its calls would
     * wait until their clients time out. If a connection is lost, its calls fail immediately.
     *
     * @throws IllegalArgumentException if the time is negative
     */
    public Builder timeout(Duration timeout) {
      if (timeout.isNegative()) {
        throw new IllegalArgumentException("the time-out is not negative: " + timeout);
      }
      this.timeout = timeout;
      return this;
    }

    /** Sets the time for which messages wait for the answer to {@code rpc.discover}; for tests. */
    Builder patience(Duration patience) {
      this.patience = patience;
      return this;
    }

    /**
     * Connects each client to a separate backend, as language servers and debug adapters require.
     * Since each client may need a process, there are at most 128 at a time; see
     * {@link #perClient(int)}.
     */
    public Builder perClient() {
      return perClient(CLIENTS);
    }

    /**
     * Gives each client a separate backend.
     *
     * @param clients the maximum number of clients at a time; further clients are disconnected. A
     *     client counts until its backend has ended, too
     * @throws IllegalArgumentException if the number is not positive
     */
    public Builder perClient(int clients) {
      if (clients < 1) {
        throw new IllegalArgumentException("the number of clients is positive: " + clients);
      }
      this.perClient = true;
      this.clients = clients;
      return this;
    }

    /**
     * Opens a bridge, which has no listener yet. Shared backends are connected first, with one
     * attempt for each, over HTTP too; if at least one is reached, the others are tried again in
     * the background.
     *
     * @throws IOException if no backend can be reached
     * @throws IllegalArgumentException if the options do not fit a URI
     */
    public Bridge open() throws IOException {
      Options passing = passing(backendOptions, backendOptions.listener());
      return new Bridge(
          clientOptions,
          perClient
              ? new OwnBackends(uris, clientOptions, passing, headers, timeout, clients)
              : SharedBackends.connect(uris, clientOptions, passing, headers, timeout, patience));
    }
  }

  /** Returns the options of one side of a bridge. */
  private static Options passing(Options given, Listener listener) {
    return given.toBuilder()
        .builtins(Options.Builtin.CANCEL)
        .listener(listener)
        .mapException(ReparteeException.class, Passage::failed)
        .build();
  }

  /**
   * Serves clients at an additional endpoint, until it or this bridge is closed. The framing of
   * each client is detected from its first bytes, unless the URI names one.
   *
   * @throws IOException if the address cannot be bound
   * @throws IllegalArgumentException if no installed transport supports the URI
   */
  public Server listen(String uri) throws IOException {
    Server server = Repartee.listen(uri, service, options);
    servers.add(server);
    return server;
  }

  /** Forwards a message of a client. */
  private @Nullable Object fromClient(Call call) {
    Object answer = forward(call);
    Access access = options.access();
    if (access.hasRules()
        && call.method().equals(Documents.DISCOVER)
        && answer instanceof CompletionStage<?> stage) {
      return stage.thenApply(
          document -> Documents.visible((Json) document, access, call.principal()));
    }
    return answer;
  }

  private @Nullable Object forward(Call call) {
    if (!call.hasPeer()) {
      return backends.alone(call);
    }
    Client client = clients.get(call.peer());
    if (client == null) { // it has disconnected meanwhile
      throw new RpcException(UNREACHABLE, "The client has disconnected");
    }
    return client.pass(call);
  }

  /** Receives the connections of clients. */
  private final class Clients extends ForwardingListener {
    Clients(Listener next) {
      super(next);
    }

    @Override
    public void connected(Peer peer) {
      Client client = backends.join(peer);
      clients.put(peer, client);
      peer.flow().readWhile(client::mayRead);
      super.connected(peer);
    }

    @Override
    public void disconnected(Peer peer, @Nullable Throwable cause) {
      Client client = clients.remove(peer);
      if (client != null) {
        client.left();
      }
      super.disconnected(peer, cause);
    }
  }

  /**
   * Closes the servers, and then the connections to the backends. Waits until they and the processes
   * of {@code exec:} have ended, within {@link Limits#closeTimeout} of both sides and the time for
   * the steps that end a process. Does not wait on a thread that reads a connection.
   */
  @Override
  public void close() {
    servers.forEach(Server::close);
    backends.close();
  }
}
