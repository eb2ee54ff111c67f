package dev.repartee.netty.http;

import dev.repartee.internal.Printable;
import dev.repartee.transport.Endpoint;
import io.netty.util.NetUtil;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address of an HTTP or WebSocket endpoint.
 *
 * @param host a name or an address; IPv6 without brackets
 * @param port the port
 * @param path path and query, starting with a slash
 * @param isSecure whether the endpoint uses TLS
 */
public record HttpAddress(String host, int port, String path, boolean isSecure) {
  private static final Set<String> SECURE = Set.of("https", "wss");
  private static final String LOOPBACK = "127.0.0.1";
  private static final Pattern LONG = Pattern.compile("(/[^/]{4})[^/]{17,}");
  private static final Pattern FORM = Pattern.compile(
      "//(\\[[0-9A-Fa-f:.]+\\]|[^\\[\\]:/?#@\\s]*)(?::([0-9]{1,5}))?([/?][^\\s#]*)?");

  /** Returns whether the scheme of an endpoint requires TLS. */
  public static boolean isSecure(Endpoint endpoint) {
    return SECURE.contains(endpoint.scheme());
  }

  private static int defaultPort(boolean secure) {
    return secure ? 443 : 80;
  }

  /**
   * Parses the address of an endpoint. An empty host is 127.0.0.1.
   *
   * @throws IllegalArgumentException if it has another form; the message shows the right one
   */
  public static HttpAddress of(Endpoint endpoint) {
    Matcher parts = FORM.matcher(endpoint.address());
    if (!parts.matches()) {
      throw malformed(endpoint, "is not of the form");
    }
    boolean secure = isSecure(endpoint);
    int port = parts.group(2) == null ? defaultPort(secure) : Integer.parseInt(parts.group(2));
    if (port > 0xFFFF) {
      throw malformed(endpoint, "has no port between 0 and 65535; the form is");
    }
    String host = parts.group(1);
    if (host.startsWith("[")) {
      host = host.substring(1, host.length() - 1);
    }
    String path = parts.group(3) == null ? "/" : parts.group(3);
    return new HttpAddress(
        host.isEmpty() ? LOOPBACK : host, port, path.startsWith("/") ? path : "/" + path, secure);
  }

  private static IllegalArgumentException malformed(Endpoint endpoint, String what) {
    return new IllegalArgumentException("'" + shown(endpoint) + "' " + what + " "
        + endpoint.scheme() + "://HOST:PORT/PATH, such as " + endpoint.scheme()
        + "://127.0.0.1:8645/; credentials go into a header");
  }

  /**
   * Returns the URI of an endpoint for messages: without its options, and with dots in place of
   * user information, query and the end of long path segments, which may be secret. Services for
   * Ethereum expect their keys in the path.
   */
  public static String shown(Endpoint endpoint) {
    String uri = endpoint.shown();
    int path = uri.indexOf('/', uri.indexOf("//") + 2);
    return Printable.text(
        path < 0
            ? uri
            : uri.substring(0, path) + LONG.matcher(uri.substring(path)).replaceAll("$1..."));
  }

  /** Returns the same address with another port. */
  public HttpAddress at(int port) {
    return new HttpAddress(host, port, path, isSecure);
  }

  /** Returns host and port. */
  public String authority() {
    return name() + ":" + port;
  }

  /** Returns the value of the {@code Host} field, which omits the default port of the scheme. */
  public String hostHeader() {
    return port == defaultPort(isSecure) ? name() : authority();
  }

  private String name() {
    return NetUtil.isValidIpV6Address(host) ? "[" + host + "]" : host;
  }
}
