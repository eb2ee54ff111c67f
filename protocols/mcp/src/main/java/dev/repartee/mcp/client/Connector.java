package dev.repartee.mcp.client;

import dev.repartee.ForwardingListener;
import dev.repartee.HttpException;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.ProtocolException;
import dev.repartee.json.JsonWriter;
import dev.repartee.limits.Limits;
import dev.repartee.mcp.client.http.EventStreamChannel;
import dev.repartee.mcp.client.http.JdkSender;
import dev.repartee.mcp.client.http.StreamableHttpChannel;
import dev.repartee.mcp.types.Revision;
import dev.repartee.mcp.wire.RequestMeta;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import dev.repartee.transport.http.HttpSender;
import dev.repartee.transport.http.HttpTransport;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections to one server, each with a {@link Negotiation} within the time-out of the
 * settings. Thread-safe.
 */
final class Connector {
  // Implementation note.
  //
  // This class opens the connection. Negotiation agrees on a revision over it, and asks for another
  // connection (begin, eventStream) if a server does not understand the first request. With one
  // class for both, the fallback to HTTP with SSE could call itself forever if the address for
  // messages answered 404.
  //
  // The era of a server (HANDSHAKES) belongs to the process and not to a client. Commands and
  // agents open a new client for each task, and each client would wait again for a server that does
  // not answer server/discover. The key is the URI as the user wrote it. An entry is a guess. If
  // the handshake fails, Negotiation removes the entry and begins with server/discover, because the
  // server may have been updated or another server may have its address.
  //
  // HTTP without repartee-netty uses the client of the JDK. The constructor refuses options in such
  // a URI before any connection, because this client cannot apply them.
  //
  // A response without a pending call ends the connection (Watch). Such a server mixes up its ids,
  // and may answer one call with the result of another. Over HTTP each response belongs to its
  // POST, and a late response is harmless.
  //
  // Locks. HANDSHAKES is its own lock. All other fields are immutable.

  /** The maximum number of servers whose era is remembered. */
  private static final int REMEMBERED = 1_000;

  /** The addresses of servers without a stateless revision, the oldest first. */
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
            "without repartee-netty, http: supports no options in the URI; remove '"
                + endpoint.options().keySet().iterator().next() + "'");
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
      // This clock never stops: before the negotiation has ended, a server asks no questions.
      Deadline deadline = Deadline.in(settings.timeout(), new CallClock(settings.clock()));
      return new Negotiation(this, settings, authorization, deadline).open();
    } catch (HttpException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /** Forgets the era of a server whose address now belongs to another server. */
  static void forget(String uri) {
    synchronized (HANDSHAKES) {
      HANDSHAKES.remove(uri);
    }
  }

  /** Returns whether the server is known not to support a stateless revision. */
  boolean isOlder() {
    synchronized (HANDSHAKES) {
      return HANDSHAKES.containsKey(uri);
    }
  }

  /** Remembers that the server does not support a stateless revision. */
  void older() {
    synchronized (HANDSHAKES) {
      HANDSHAKES.put(uri, true);
    }
  }

  /** Forgets the era of the server. */
  void forget() {
    forget(uri);
  }

  /** Opens a connection within a time, without the negotiation. */
  Link begin(Duration time) throws IOException {
    if (isHttp() && isOldest()) {
      return eventStream(time);
    } else if (isHttp()) {
      return begin(new StreamableHttpChannel(
          address(), options.headers(), authorization, options.limits(), sender()));
    }
    Limits limits = within(time);
    Consumer<String> errors = settings.stderr();
    return begin(
        errors != null && endpoint.scheme().equals("exec")
            ? Channel.over(endpoint, limits, errors)
            : Transport.open(endpoint, limits, options.headersAt(endpoint)));
  }

  /** Returns the limits of a connection that has to be open within a time. */
  private Limits within(Duration time) {
    Limits limits = options.limits();
    return limits.connectTimeout().compareTo(time) <= 0
        ? limits
        : limits.toBuilder().connectTimeout(time).build();
  }

  /** Returns whether only 2024-11-05 is allowed, which does not have Streamable HTTP. */
  private boolean isOldest() {
    return settings.revisions().equals(Set.of(Revision.V2024_11_05));
  }

  /** Returns the sender of an installed transport, or else a sender that uses the JDK. */
  private HttpSender sender() throws IOException {
    HttpSender sender =
        transport() instanceof HttpTransport http ? http.sender(endpoint, options.limits()) : null;
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

  /** Opens a connection of HTTP with SSE within a time, without the negotiation. */
  Link eventStream(Duration time) throws IOException {
    Duration shorter = within(time).connectTimeout();
    return begin(EventStreamChannel.connect(
        address(), options.headers(), authorization, options.limits(), sender(), shorter));
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

  /** Ends a connection if the server answers requests that this client has not sent. */
  private static final class Watch extends ForwardingListener {
    private final Link link;

    Watch(Listener next, Link link) {
      super(next);
      this.link = link;
    }

    @Override
    public void violation(ChannelInfo channel, String violation) {
      super.violation(channel, violation);
      if (link.http() == null && violation.startsWith("a response to no pending call")) {
        link.abort(new ProtocolException(link.server() + " broke the protocol: " + violation));
      }
    }
  }

  /** Writes the {@code _meta} members of a stateless request. */
  static void meta(Settings settings, Revision revision, boolean tasks, JsonWriter out) {
    out.string(RequestMeta.VERSION).put(':').string(revision.label());
    out.put(',').string(RequestMeta.CLIENT).put(':').json(settings.self().json());
    out.put(',')
        .string(RequestMeta.CAPABILITIES)
        .put(':')
        .json(settings.capabilities(revision, tasks));
  }

  /**
   * Returns the exception for a failed connection. Throws the cause itself if its message already
   * names the reason.
   */
  IOException unreachable(Throwable cause) {
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
