package dev.repartee.mcp.client;

import dev.repartee.CallFuture;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.ProtocolException;
import dev.repartee.RpcException;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.json.JsonWriter;
import dev.repartee.json.UnsafeJson;
import dev.repartee.mcp.Implementation;
import dev.repartee.mcp.Revision;
import dev.repartee.mcp.client.http.EventStreamChannel;
import dev.repartee.mcp.client.http.HttpRefusal;
import dev.repartee.mcp.client.http.JdkSender;
import dev.repartee.mcp.client.http.StreamableHttpChannel;
import dev.repartee.mcp.wire.Errors;
import dev.repartee.mcp.wire.JsonObjectReader;
import dev.repartee.mcp.wire.RequestMeta;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.HttpSender;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections to one server and agrees on a revision (specification 2026-07-28, "Versioning":
 * clients of both eras). {@code server/discover} comes first. A valid answer means the stateless
 * revision; an error -32022 names the revisions to try; any other error, or silence, means the
 * handshake. Over HTTP the status 400, 404 or 405 without an error of the protocol means the
 * handshake, too, and after a refused handshake HTTP with SSE.
 *
 * <p>The era of a server is remembered, so that later connections to a server of the handshake
 * revisions begin with the handshake. If that fails, the next connection begins from the start.
 */
final class Connector {
  /** The longest time to wait for a server that does not answer a notification. */
  private static final Duration TAKEN = Duration.ofSeconds(5);

  /** The time after which a server that is silent gets the handshake, too. */
  private static final Duration SILENCE = Duration.ofSeconds(5);

  /** The maximum number of servers whose era is remembered. */
  private static final int REMEMBERED = 1_000;

  /** The addresses of servers that have no stateless revision, the oldest first. */
  private static final Map<String, Boolean> HANDSHAKES = new LinkedHashMap<>() {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
      return size() > REMEMBERED;
    }
  };

  private final Settings settings;
  private final Notifications notifications;
  private final String uri;
  private final Endpoint endpoint;
  private final Options options;
  private final @Nullable TimedAuthorization authorization;

  /**
   * @throws IllegalArgumentException if the URI is malformed, or no installed transport supports it
   */
  Connector(Settings settings, Notifications notifications, String uri) {
    this.settings = settings;
    this.notifications = notifications;
    this.uri = uri;
    this.endpoint = Endpoint.parse(uri);
    this.options = settings.options().at(endpoint);
    this.authorization =
        settings.authorization() == null ? null : new TimedAuthorization(settings.authorization());
    if (isHttp()) {
      if (!endpoint.options().isEmpty() && transport() == null) {
        throw new IllegalArgumentException(
            "without repartee-netty, http: has no options of the URI," + " but '"
                + endpoint.options().keySet().iterator().next() + "' is one; leave it out");
      }
      address();
    } else {
      Transport.of(endpoint);
    }
  }

  private boolean isHttp() {
    return endpoint.scheme().equals("http") || endpoint.scheme().equals("https");
  }

  private URI address() {
    URI address;
    try {
      address = new URI(endpoint.bare().toString());
    } catch (URISyntaxException e) { // its message has the query, which may be secret
      throw new IllegalArgumentException("'" + Endpoint.shown(uri) + "' is no URI: " + e.getReason()
          + " at index " + e.getIndex() + "; write such a character as %20");
    }
    if (address.getHost() == null || address.getUserInfo() != null) {
      throw new IllegalArgumentException("'" + endpoint.scheme()
          + ":' needs an address with a host and without a password, as http://127.0.0.1:8080/mcp");
    }
    return address;
  }

  /**
   * Opens a connection and agrees on a revision. Waits.
   *
   * @throws IOException if the server cannot be reached
   */
  Link open() throws IOException {
    try {
      return negotiate();
    } catch (HttpRefusal e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private Link negotiate() throws IOException {
    boolean remembered;
    synchronized (HANDSHAKES) {
      remembered = HANDSHAKES.containsKey(uri);
    }
    Revision modern = settings.newest(true);
    Revision handshake = settings.newest(false);
    if (modern == null || remembered && handshake != null) {
      try {
        return handshake(begin());
      } catch (RpcException | ProtocolException | DisconnectedException | HttpRefusal e) {
        forget(uri);
        if (modern == null) {
          throw e;
        }
      }
    }
    return discover(begin(), modern);
  }

  /** Forgets the era of a server, because another one has its address now. */
  static void forget(String uri) {
    synchronized (HANDSHAKES) {
      HANDSHAKES.remove(uri);
    }
  }

  /** Opens a connection without a negotiation. */
  private Link begin() throws IOException {
    if (isHttp() && isOldest()) {
      return begin(eventStream());
    } else if (isHttp()) {
      return begin(new StreamableHttpChannel(
          address(), options.headers(), authorization, options.limits(), sender()));
    }
    Consumer<String> errors = settings.stderr();
    return begin(
        errors != null && endpoint.scheme().equals("exec")
            ? Channel.over(endpoint, options.limits(), errors)
            : Transport.open(endpoint, options.limits(), options.headers()));
  }

  /** Whether only 2024-11-05 is allowed, which has no Streamable HTTP. */
  private boolean isOldest() {
    return settings.revisions().equals(Set.of(Revision.V2024_11_05));
  }

  /** Returns the sender of an installed transport, or that of the JDK. */
  private HttpSender sender() throws IOException {
    Transport transport = transport();
    HttpSender sender = transport == null ? null : transport.http(endpoint, options.limits());
    return sender == null ? new JdkSender(address()) : sender;
  }

  /** Returns the installed transport of HTTP, or null. */
  private @Nullable Transport transport() {
    try {
      return Transport.of(endpoint);
    } catch (IllegalArgumentException none) {
      return null;
    }
  }

  private Channel eventStream() throws IOException {
    return EventStreamChannel.connect(
        address(), options.headers(), authorization, options.limits(), sender());
  }

  private Link begin(Channel channel) {
    Link link = new Link(channel);
    Options own = options.toBuilder()
        .dialect(new ClientDialect())
        .builtins(Options.Builtin.CANCEL)
        .listener(new Watch(options.listener(), link))
        .answersUnreadable(false)
        .build();
    link.peer(Peer.open(channel, notifications.service(link), own));
    return link;
  }

  /** Ends a connection whose server answers requests that this client has not sent. */
  private record Watch(Listener listener, Link link) implements Listener {
    @Override
    public void connected(Peer peer) {
      listener.connected(peer);
    }

    @Override
    public void disconnected(Peer peer, @Nullable Throwable cause) {
      listener.disconnected(peer, cause);
    }

    @Override
    public void violation(ChannelInfo channel, String violation) {
      listener.violation(channel, violation);
      if (link.http() == null && violation.startsWith("a response to no pending call")) {
        link.abort(new ProtocolException(link.server() + " broke the protocol: " + violation));
      }
    }

    @Override
    public void notice(ChannelInfo channel, String event) {
      listener.notice(channel, event);
    }

    @Override
    public void failed(dev.repartee.Call call, Throwable cause) {
      listener.failed(call, cause);
    }
  }

  // ---------------------------------------------------------------- the stateless revision

  private Link discover(Link link, Revision modern) throws IOException {
    try {
      return discover(link, modern, true);
    } catch (RuntimeException | IOException e) {
      link.peer().close(Duration.ZERO);
      throw e;
    }
  }

  private Link discover(Link link, Revision revision, boolean again) throws IOException {
    StreamableHttpChannel http = link.http();
    if (http != null) {
      http.revision(revision.label(), true);
    }
    CallFuture<Json> found = link.peer()
        .request("server/discover")
        .params(requestMeta(revision))
        .timeout(settings.timeout())
        .send(Json.class);
    if (!found.isDone()) {
      discovered(link.server(), ANSWER, revision); // loads its classes while the server starts
    }
    try {
      Json result = settings.newest(false) == null ? found.get() : beforeSilence(found);
      return discovered(link, result, revision);
    } catch (TimeoutException e) {
      return afterSilence(link, found, revision);
    } catch (InterruptedException e) {
      found.cancel(true);
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while connecting to " + link.server(), e);
    } catch (ExecutionException e) {
      return afterFailure(link, Futures.cause(e), revision, again);
    }
  }

  /** Waits for an answer until the server has been silent for a while; a login is no silence. */
  private Json beforeSilence(CallFuture<Json> found)
      throws InterruptedException, ExecutionException, TimeoutException {
    long left = SILENCE.toNanos();
    while (true) {
      try {
        return found.get(left, TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        left = SILENCE.toNanos() - (authorization == null ? left : authorization.idleNanos());
        if (left <= 0) {
          throw e;
        }
      }
    }
  }

  /** Agrees on the stateless revision, or begins a handshake if the answer is none to the request. */
  private Link discovered(Link link, Json result, Revision revision) throws IOException {
    List<String> supported;
    try {
      supported = JsonObjectReader.of(result).stringList("supportedVersions");
    } catch (RpcException e) {
      supported = List.of();
    }
    if (supported.isEmpty()) {
      if (settings.newest(false) != null) {
        return handshake(link);
      }
      throw Answers.broken("server/discover", link.server(), "missing: supportedVersions");
    }
    Revision agreed = common(supported, true);
    if (agreed == null) {
      if (common(supported, false) != null) {
        return handshake(link);
      }
      throw unsupported(link, supported);
    }
    if (agreed != revision && link.http() != null) {
      link.http().revision(agreed.label(), true);
    }
    link.agreed(discovered(link.server(), result, agreed));
    return link;
  }

  private static Link.Agreed discovered(String from, Json result, Revision agreed) {
    return Answers.read("server/discover", from, result, json -> {
      JsonObjectReader in = Answers.object(json);
      JsonObjectReader meta = in.optionalObject("_meta");
      JsonObjectReader server =
          meta.has(SERVER) ? meta.object(SERVER) : in.optionalObject("serverInfo");
      Json capabilities = in.optionalObjectJson("capabilities");
      return new Link.Agreed(
          agreed,
          server.members().isEmpty() ? null : Answers.implementation(server),
          capabilities == null ? Json.EMPTY_OBJECT : capabilities,
          in.optionalString("instructions"));
    });
  }

  private static final String SERVER = "io.modelcontextprotocol/serverInfo";

  /** An answer to {@code server/discover}. */
  private static final Json ANSWER = Json.parse(
      "{\"_meta\":{\"" + SERVER + "\":{\"name\":\"a\",\"version\":\"1\"}},\"capabilities\":{}}");

  private Link afterFailure(Link link, Throwable cause, Revision revision, boolean again)
      throws IOException {
    boolean canShake = settings.newest(false) != null;
    if (cause instanceof RpcException error) {
      if (error.code() == Errors.UNSUPPORTED_VERSION && again) {
        List<String> supported = supported(error.data());
        Revision other = common(supported, true);
        if (other != null) {
          return discover(link, other, false);
        } else if (!supported.isEmpty() && common(supported, false) == null) {
          throw unsupported(link, supported);
        }
      }
      if (canShake) {
        return handshake(link);
      }
      throw error;
    }
    if (cause instanceof HttpRefusal refusal && refusal.isUnknownTransport() && canShake) {
      return handshake(link);
    }
    if (cause instanceof ProtocolException && canShake) {
      return handshake(link);
    }
    if (cause instanceof DisconnectedException && canShake && link.http() == null) {
      return handshake(begin()); // it ended the connection instead of an answer
    }
    throw unreachable(cause);
  }

  /** Begins a handshake while the first request is pending; the first valid answer counts. */
  private Link afterSilence(Link link, CallFuture<Json> found, Revision revision)
      throws IOException {
    CallFuture<Json> initialized = initialize(link);
    CompletableFuture<Json> either = new CompletableFuture<>();
    found.whenComplete((result, failure) -> {
      if (failure == null && result.get("supportedVersions") != null) {
        either.complete(result);
      }
    });
    initialized.whenComplete((result, failure) -> {
      if (failure == null) {
        either.complete(result);
      } else {
        found.whenComplete((late, lateFailure) -> either.completeExceptionally(failure));
      }
    });
    Json result = await(link, either);
    if (result.get("supportedVersions") != null) {
      initialized.cancel(true);
      return discovered(link, result, revision);
    }
    found.cancel(true);
    return initialized(link, result);
  }

  private static List<String> supported(@Nullable Json data) {
    try {
      return JsonObjectReader.of(data).stringList("supported");
    } catch (RpcException e) {
      return List.of();
    }
  }

  private @Nullable Revision common(List<String> labels, boolean stateless) {
    return settings.newest(
        revision -> revision.isStateless() == stateless && labels.contains(revision.label()));
  }

  private ProtocolException unsupported(Link link, List<String> supported) {
    List<String> own = new ArrayList<>();
    settings.revisions().forEach(revision -> own.add(revision.label()));
    return new ProtocolException(link.server() + " supports the revisions "
        + String.join(", ", supported) + ", this client " + String.join(", ", own));
  }

  /** Returns params with only the metadata of a stateless request. */
  private Json requestMeta(Revision revision) {
    JsonWriter out = new JsonWriter().ascii("{\"_meta\":{");
    meta(settings, revision, false, out);
    return UnsafeJson.wrap(out.ascii("}}").toBytes());
  }

  /** Writes the members of the metadata of a stateless request. */
  static void meta(Settings settings, Revision revision, boolean tasks, JsonWriter out) {
    out.string(RequestMeta.VERSION).put(':').string(revision.label());
    out.put(',').string(RequestMeta.CLIENT).put(':').json(self(settings.self()));
    out.put(',')
        .string(RequestMeta.CAPABILITIES)
        .put(':')
        .json(settings.capabilities(revision, tasks));
  }

  private static Json self(Implementation self) {
    return new JsonObjectBuilder()
        .put("name", self.name())
        .put("version", self.version())
        .put("title", self.title())
        .put("description", self.description())
        .put("websiteUrl", self.websiteUrl())
        .build();
  }

  // ---------------------------------------------------------------- the handshake

  private CallFuture<Json> initialize(Link link) {
    Revision newest = settings.newest(false);
    if (newest == null) {
      throw new IllegalStateException("no handshake revision is allowed");
    }
    StreamableHttpChannel http = link.http();
    if (http != null) {
      http.revision(null, false);
    }
    Json params = new JsonObjectBuilder()
        .put("protocolVersion", newest.label())
        .put("capabilities", settings.capabilities(newest, false))
        .put("clientInfo", self(settings.self()))
        .build();
    return link.peer()
        .request("initialize")
        .params(params)
        .timeout(settings.timeout())
        .send(Json.class);
  }

  private Link handshake(Link link) throws IOException {
    try {
      Json result;
      try {
        result = await(link, initialize(link));
      } catch (HttpRefusal e) {
        if (!e.isUnknownTransport() || !settings.revisions().contains(Revision.V2024_11_05)) {
          throw e;
        }
        Link stream;
        try {
          stream = begin(eventStream());
        } catch (IOException none) {
          none.addSuppressed(e);
          throw none;
        }
        link.peer().close(Duration.ZERO);
        return handshake(stream);
      }
      return initialized(link, result);
    } catch (RuntimeException | IOException e) {
      link.peer().close(Duration.ZERO);
      throw e;
    }
  }

  private Link initialized(Link link, Json result) throws IOException {
    Link.Agreed agreed = Answers.read("initialize", link.server(), result, json -> {
      JsonObjectReader in = Answers.object(json);
      String label = in.string("protocolVersion");
      Revision revision = Revision.of(label);
      if (revision == null || revision.isStateless() || !settings.revisions().contains(revision)) {
        throw JsonObjectReader.invalid(
            "protocolVersion: '" + label + "' is no revision that this client accepts");
      }
      Json capabilities = in.optionalObjectJson("capabilities");
      return new Link.Agreed(
          revision,
          Answers.implementation(in.object("serverInfo")),
          capabilities == null ? Json.EMPTY_OBJECT : capabilities,
          in.optionalString("instructions"));
    });
    link.agreed(agreed);
    StreamableHttpChannel http = link.http();
    if (http != null) {
      boolean named = agreed.revision().isAtLeast(Revision.V2025_06_18);
      http.revision(named ? agreed.revision().label() : null, false);
    }
    link.peer().request("notifications/initialized").sendNotification();
    awaitTaken(link);
    if (http != null) {
      http.listen();
    }
    synchronized (HANDSHAKES) {
      HANDSHAKES.put(uri, true);
    }
    return link;
  }

  /**
   * Waits until the server has taken {@code notifications/initialized}. A request that overtook it
   * would come before the server is ready: a server sends no changes to a client before.
   */
  private static void awaitTaken(Link link) throws IOException {
    try {
      link.awaitNotifications(TAKEN.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while connecting to " + link.server(), e);
    }
  }

  private <T> T await(Link link, CompletableFuture<T> future) throws IOException {
    try {
      return future.get();
    } catch (InterruptedException e) {
      future.cancel(true);
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while connecting to " + link.server(), e);
    } catch (ExecutionException e) {
      throw unreachable(Futures.cause(e));
    }
  }

  /** Returns the exception for a failed connection; throws those that name the reason themselves. */
  private IOException unreachable(Throwable cause) {
    if (cause instanceof RuntimeException known && !(cause instanceof DisconnectedException)) {
      throw known;
    }
    String message = cause.getMessage();
    String why = message == null ? cause.toString() : message;
    // The address is in the message if no connection could be opened.
    return new IOException(
        why.startsWith("cannot ") ? why : "cannot connect to " + shown() + ": " + why, cause);
  }

  /** Returns the address for messages: passwords, options and queries may be secret. */
  private String shown() {
    return endpoint.shown().replaceFirst("^((https?|wss?):[^?]*)\\?.*", "$1");
  }
}
