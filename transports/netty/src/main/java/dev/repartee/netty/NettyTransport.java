package dev.repartee.netty;

import dev.repartee.limits.Limits;
import dev.repartee.netty.http.Deflate;
import dev.repartee.netty.http.HttpAddress;
import dev.repartee.netty.tls.Tls;
import dev.repartee.transport.Channel;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import dev.repartee.transport.http.HttpAcceptor;
import dev.repartee.transport.http.HttpSender;
import dev.repartee.transport.http.HttpTransport;
import dev.repartee.transport.http.server.NotificationStatus;
import dev.repartee.transport.http.server.OriginGuard;
import dev.repartee.transport.http.server.Refusals;
import dev.repartee.transport.http.server.RequestPolicy;
import dev.repartee.transport.http.server.Route;
import dev.repartee.transport.http.server.TransportHeaders;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The transport of {@code http://HOST:PORT/PATH} and {@code ws://HOST:PORT/PATH}, and under TLS of
 * {@code https:} and {@code wss:}. A server answers HTTP and WebSocket on the same port and path,
 * whichever of the two schemes it was given. A client speaks the one that it was given. Without a
 * host the address is 127.0.0.1.
 *
 * <p>Options of the URI, after {@code #} and separated by {@code &}:
 *
 * <ul>
 *   <li>{@code origins} (server): further web origins whose pages may call, separated by commas.
 *   <li>{@code hosts} (server): further host names under which clients may call, separated by
 *       commas, as behind a reverse proxy; {@code *} admits every name.
 *   <li>{@code notification-status} (server): the HTTP status of a response without a message, as
 *       to a notification: {@code 200}, {@code 202} or {@code 204}. By default that of the {@link
 *       dev.repartee.message.Dialect}.
 *   <li>{@code subprotocol} (both): the WebSocket subprotocol that a client asks for, and that a
 *       server speaks. A client that asks for none is accepted, one that asks only for others is
 *       refused. A server without this option picks none of those that a client asks for; browsers
 *       then end the connection.
 *   <li>{@code deflate} (both): {@code true} to compress WebSocket messages if the other side
 *       agrees.
 *   <li>{@code proxy} (client): the HTTP proxy to connect through, as {@code http://HOST:PORT} or
 *       {@code http://USER:PASSWORD@HOST:PORT}, or {@code none}. By default the environment
 *       variables {@code http_proxy}, {@code https_proxy}, {@code all_proxy} and {@code no_proxy}
 *       hold, but not for this machine.
 *   <li>{@code cert} and {@code key} (both, TLS): PEM files with the own certificate and its
 *       private key. A server needs them. {@code cert} may also be a PKCS#12 file with both.
 *   <li>{@code password} (both, TLS): the place of the password of a PKCS#12 file, {@code @FILE} or
 *       {@code env:NAME}.
 *   <li>{@code ca} (both, TLS): a PEM file with the authorities to trust. A server with this option
 *       demands certificates of its clients.
 * </ul>
 *
 * <p>If these files change, new connections use their new content.
 *
 * <p>Sets the system property {@code io.netty.jfr.enabled} to {@code false} unless it is set. A
 * recording of the Flight Recorder contains the events of Netty's buffers only on demand, but their
 * classes load the recorder with the first buffer. An application that records them starts with
 * {@code -Dio.netty.jfr.enabled=true}.
 *
 * <p>Thread-safe.
 */
public final class NettyTransport implements HttpTransport {
  private static final String NETTY_EVENTS = "io.netty.jfr.enabled";

  static { // before the first class of Netty, which reads it
    if (System.getProperty(NETTY_EVENTS) == null) {
      System.setProperty(NETTY_EVENTS, "false");
    }
  }

  /** Creates the transport; {@link java.util.ServiceLoader} does so. */
  public NettyTransport() {}

  @Override
  public Set<String> schemes() {
    return Set.of("http", "https", "ws", "wss");
  }

  @Override
  public Set<String> options() {
    return Set.of(
        "origins",
        "hosts",
        "notification-status",
        "subprotocol",
        "deflate",
        "proxy",
        "ca",
        "cert",
        "key",
        "password");
  }

  @Override
  public boolean hasHeaders() {
    return true;
  }

  @Override
  public boolean hasHandshake(Endpoint endpoint) {
    return endpoint.scheme().startsWith("ws");
  }

  @Override
  public Channel connect(Endpoint endpoint, Limits limits, Headers headers) throws IOException {
    TransportHeaders.refuse(headers);
    Dialer dialer = Dialer.of(endpoint, limits);
    return endpoint.scheme().startsWith("http")
        ? HttpClientChannel.connect(dialer, limits, headers)
        : WebSocketClient.connect(dialer, limits, headers);
  }

  @Override
  public @Nullable HttpSender sender(Endpoint endpoint, Limits limits) throws IOException {
    return endpoint.scheme().startsWith("http")
        ? new ClientRequests(Dialer.of(endpoint, limits), limits)
        : null;
  }

  @Override
  public Listening listen(Endpoint endpoint, Limits limits, Acceptor acceptor) throws IOException {
    HttpAddress address = HttpAddress.of(endpoint);
    if (endpoint.options().containsKey("proxy")) {
      throw new IllegalArgumentException("'" + HttpAddress.shown(endpoint)
          + "' listens, but proxy is an option of clients; leave it out");
    }
    OriginGuard guard = new OriginGuard(
        address.host().toLowerCase(Locale.ROOT),
        list(endpoint, "hosts"),
        list(endpoint, "origins"));
    String subprotocol = endpoint.options().get("subprotocol");
    HttpAcceptor http = HttpAcceptor.of(acceptor);
    Map<String, HttpAcceptor> paths = http.paths();
    if (paths != null && !address.path().equals("/")) {
      throw new IllegalArgumentException("'" + HttpAddress.shown(endpoint)
          + "' has a path, but so have its services; leave the path of the URI out");
    }
    OptionalInt status = NotificationStatus.parse(
        endpoint.option(NotificationStatus.OPTION, ""), HttpAddress.shown(endpoint));
    Route whole = paths == null ? Route.of(http, address.path(), status) : null;
    RequestPolicy policy = new RequestPolicy(
        whole == null
            ? Route.all(Objects.requireNonNull(paths), status)
            : Map.of(address.path(), whole),
        whole == null || whole.http() == null ? null : whole,
        http.filter(),
        guard,
        new Refusals(http),
        subprotocol,
        Deflate.isOn(endpoint),
        limits);
    return new HttpListening(endpoint, address, Tls.httpServer(endpoint), policy).bind();
  }

  private static Set<String> list(Endpoint endpoint, String key) {
    return Arrays.stream(endpoint.option(key, "").toLowerCase(Locale.ROOT).split(","))
        .filter(entry -> !entry.isEmpty())
        .collect(Collectors.toUnmodifiableSet());
  }
}
