package dev.repartee.mcp.oauth;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Decides which addresses the metadata of an MCP server may name (specification, "Security Best
 * Practices": server-side request forgery). All must be HTTPS, and an address in the public
 * Internet leads to no other network. Metadata of a server on loopback may name any address.
 *
 * <p>The JDK connects to the addresses that were resolved here, since it caches them for 30
 * seconds. With another setting of that cache, a name could change between check and connection;
 * then the certificate of an internal server does not fit the name.
 */
final class Addresses {
  /** Resolves the name of a host. */
  interface Resolver {
    InetAddress[] resolve(String host) throws UnknownHostException;
  }

  private enum Network {
    LOOPBACK("loopback"),
    PRIVATE("private"),
    LINK_LOCAL("link-local or reserved"),
    PUBLIC("public");

    private final String phrase;

    Network(String phrase) {
      this.phrase = phrase;
    }
  }

  private final URI server;
  private final Resolver resolver;

  Addresses(URI server, Resolver resolver) {
    this.server = server;
    this.resolver = resolver;
  }

  /**
   * Returns whether a host is this machine by its name alone. A name of the Internet that resolves
   * to 127.0.0.1 is not.
   */
  static boolean isLoopback(URI uri) {
    String host = host(uri);
    return host.equals("localhost")
        || host.endsWith(".localhost")
        || host.equals("::1")
        || host.matches("127(\\.\\d{1,3}){3}");
  }

  private static String host(URI uri) {
    String host = uri.getHost() == null ? "" : uri.getHost().toLowerCase(Locale.ROOT);
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  /** Returns whether two addresses have the same scheme, host and port. */
  static boolean isSameOrigin(URI a, URI b) {
    return a.getScheme().equalsIgnoreCase(b.getScheme())
        && host(a).equals(host(b))
        && port(a) == port(b);
  }

  private static int port(URI uri) {
    return uri.getPort() >= 0
        ? uri.getPort()
        : "https".equalsIgnoreCase(uri.getScheme()) ? 443 : 80;
  }

  /** Returns the scheme, host and port of an address. */
  static String origin(URI uri) {
    String host = uri.getHost().toLowerCase(Locale.ROOT);
    String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
    boolean usual = port(uri) == (scheme.equals("https") ? 443 : 80);
    return scheme + "://" + host + (usual ? "" : ":" + uri.getPort());
  }

  /**
   * Checks an address.
   *
   * @param what names the address in an exception, such as {@code token_endpoint of ISSUER}
   * @throws AuthorizationException if the address may not be used
   */
  URI check(String what, String text) {
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      throw refused(what, text, "which is no URI");
    }
    String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
    if (!scheme.equals("https") && !scheme.equals("http") || uri.getHost() == null) {
      throw refused(what, text, "which is no HTTPS address");
    }
    if (uri.getRawUserInfo() != null || uri.getRawFragment() != null) {
      throw refused(what, text, "which has a user or a fragment");
    }
    if (isLoopback(server)) {
      if (scheme.equals("http") && !isLoopback(uri)) {
        throw refused(what, text, "which is not HTTPS");
      }
      return uri;
    }
    Network network = worst(what, uri);
    if (network != Network.PUBLIC
        && !(network == Network.PRIVATE && isPrivate() && scheme.equals("https"))) {
      throw refused(
          what,
          text,
          "a " + network.phrase + " address; " + server.getHost()
              + (network == Network.PRIVATE ? " in the public Internet" : "")
              + " may not name one");
    }
    if (scheme.equals("http")) {
      throw refused(what, text, "which is not HTTPS");
    }
    return uri;
  }

  private static AuthorizationException refused(String what, String text, String why) {
    return new AuthorizationException(
        "the " + what + " is refused: '" + AuthorizationException.told(text) + "', " + why);
  }

  private boolean isPrivate() {
    try {
      return Arrays.stream(resolver.resolve(host(server)))
          .map(Addresses::network)
          .allMatch(Network.PRIVATE::equals);
    } catch (UnknownHostException e) {
      return false;
    }
  }

  private Network worst(String what, URI uri) {
    if (isLoopback(uri)) {
      return Network.LOOPBACK;
    }
    try {
      return Arrays.stream(resolver.resolve(host(uri)))
          .map(Addresses::network)
          .filter(network -> network != Network.PUBLIC)
          .findFirst()
          .orElse(Network.PUBLIC);
    } catch (UnknownHostException e) {
      throw new AuthorizationException("the host of the " + what + " is unknown: " + uri.getHost());
    }
  }

  private static Network network(InetAddress address) {
    if (address.isLoopbackAddress()) {
      return Network.LOOPBACK;
    }
    byte[] b = address.getAddress();
    if (address instanceof Inet6Address) {
      for (byte[] embedded : embedded(b)) {
        try {
          Network inner = network(InetAddress.getByAddress(embedded));
          if (inner != Network.PUBLIC) {
            return inner;
          }
        } catch (UnknownHostException e) {
          throw new IllegalStateException(e); // 4 bytes are an address
        }
      }
      if ((b[0] & 0xfe) == 0xfc || address.isSiteLocalAddress()) {
        return Network.PRIVATE; // RFC 4193
      }
      return (b[0] & 0xe0) == 0x20 || startsWith(b, 0x00, 0x64, 0xff, 0x9b)
          ? Network.PUBLIC // global unicast, 2000::/3
          : Network.LINK_LOCAL;
    }
    if (address.isSiteLocalAddress() || startsWith(b, 100) && (b[1] & 0xc0) == 64) {
      return Network.PRIVATE; // RFC 1918, and RFC 6598: 100.64.0.0/10
    }
    boolean reserved = b[0] == 0
        || (b[0] & 0xff) >= 224
        || address.isLinkLocalAddress()
        || startsWith(b, 192, 0, 0)
        || startsWith(b, 198) && (b[1] & 0xfe) == 18;
    return reserved ? Network.LINK_LOCAL : Network.PUBLIC;
  }

  /** Returns the IPv4 addresses to which a translator sends packets for an IPv6 address. */
  private static List<byte[]> embedded(byte[] b) {
    if (startsWith(b, 0x00, 0x64, 0xff, 0x9b)) {
      return List.of(Arrays.copyOfRange(b, 12, 16)); // RFC 6052
    }
    if (startsWith(b, 0x20, 0x02)) {
      return List.of(Arrays.copyOfRange(b, 2, 6)); // RFC 3056
    }
    return List.of();
  }

  private static boolean startsWith(byte[] bytes, int... prefix) {
    for (int i = 0; i < prefix.length; i++) {
      if ((bytes[i] & 0xff) != prefix[i]) {
        return false;
      }
    }
    return true;
  }
}
