package dev.repartee.transport.http.client;

import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The server of a request, and the way to it. Requests with equal targets can share a connection.
 *
 * @param host a name or an address, without brackets
 * @param proxy the HTTP proxy; null for a direct connection
 */
record Target(
    boolean isSecure, String host, int port, @Nullable InetSocketAddress proxy) {
  /** Returns the target of an address with the default proxy of its host. */
  static Target of(URI uri) {
    boolean isSecure = "https".equalsIgnoreCase(uri.getScheme());
    String host = uri.getHost().toLowerCase(Locale.ROOT);
    boolean isLiteral = host.startsWith("[");
    return new Target(
        isSecure,
        isLiteral ? host.substring(1, host.length() - 1) : host,
        uri.getPort() >= 0 ? uri.getPort() : isSecure ? 443 : 80,
        proxy(uri));
  }

  private static @Nullable InetSocketAddress proxy(URI uri) {
    ProxySelector selector = ProxySelector.getDefault();
    List<Proxy> proxies = selector == null ? List.of() : selector.select(uri);
    boolean isUsed = !proxies.isEmpty() && proxies.get(0).type() == Proxy.Type.HTTP;
    return isUsed ? (InetSocketAddress) proxies.get(0).address() : null;
  }

  /** Returns the host and the port as in an address. */
  String authority() {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }

  /** Returns whether requests name the whole address: only the proxy knows where they lead. */
  boolean isForwarded() {
    return proxy != null && !isSecure;
  }
}
