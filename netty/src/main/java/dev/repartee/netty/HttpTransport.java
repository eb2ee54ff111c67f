package dev.repartee.netty;

import dev.repartee.Channel;
import dev.repartee.Endpoint;
import dev.repartee.Options;
import dev.repartee.Transport;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * {@code http://HOST:PORT/PATH} and {@code ws://HOST:PORT/PATH}, and under TLS {@code https:} and {@code
 * wss:}. A server answers both at the same
 * port and path, whichever of them it was told; a client speaks the one it was told.
 *
 * <p>Options of a server: {@code origins}, a list with commas of further origins whose pages may call,
 * and {@code hosts}, further names by which it may be called, as behind a reverse proxy. Of both
 * sides: {@code subprotocol}, the WebSocket subprotocol spoken, and {@code deflate}, {@code true} to
 * compress the messages of WebSockets where the other side wants it too; under TLS {@code cert} and {@code key},
 * files with who we are, which a server needs, and {@code ca}, a file with the authorities to trust,
 * by which a server demands certificates of its clients. Thread-safe.
 */
public final class HttpTransport implements Transport {
  /** For {@link java.util.ServiceLoader}. */
  public HttpTransport() {}

  @Override
  public Set<String> schemes() {
    return Set.of("http", "https", "ws", "wss");
  }

  @Override
  public Set<String> options() {
    return Set.of("origins", "hosts", "subprotocol", "deflate", "ca", "cert", "key");
  }

  @Override
  public boolean hasHeaders() {
    return true;
  }

  @Override
  public Channel connect(Endpoint endpoint, Options options) throws IOException {
    CallerHeaders.check(options.headers());
    Dialer dialer = Dialer.of(endpoint, options);
    return endpoint.scheme().startsWith("http")
        ? HttpClientChannel.connect(dialer, options)
        : WebSocketClient.connect(dialer, options);
  }

  @Override
  public Listening listen(Endpoint endpoint, Options options, Acceptor acceptor)
      throws IOException {
    HttpAddress address = HttpAddress.of(endpoint);
    OriginGuard guard = new OriginGuard(
        address.host().toLowerCase(Locale.ROOT),
        list(endpoint, "hosts"),
        list(endpoint, "origins"));
    String subprotocol = endpoint.options().get("subprotocol");
    Door door = new Door(
        address.path(),
        guard,
        subprotocol,
        Deflate.isOn(endpoint),
        options,
        acceptor,
        acceptor.http());
    return new HttpListening(endpoint, address, Tls.server(endpoint), door).bind();
  }

  private static Set<String> list(Endpoint endpoint, String key) {
    return Arrays.stream(endpoint.option(key, "").toLowerCase(Locale.ROOT).split(","))
        .filter(entry -> !entry.isEmpty())
        .collect(Collectors.toUnmodifiableSet());
  }
}
