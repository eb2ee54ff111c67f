package dev.repartee.mcp.oauth;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Decides which addresses the metadata of an MCP server may name (specification, "Security Best
 * Practices": server-side request forgery). All must be HTTPS, and an address in the public
 * Internet leads to no other network. Metadata of a server on loopback may name any address.
 *
 * <p>Each request to an endpoint is preceded by a check. The JDK connects to the addresses that were
 * resolved here, since it caches them for 30 seconds. With another setting of that cache, a name
 * could change between check and connection; then the certificate of an internal server does not
 * fit the name.
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

  /** The well-known prefix of translators, 64:ff9b::/96 (RFC 6052). */
  private static final int[] NAT64 = {0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0};

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
      return (b[0] & 0xe0) == 0x20 || startsWith(b, NAT64)
          ? Network.PUBLIC // global unicast, 2000::/3
          : Network.LINK_LOCAL; // also the local prefix of NAT64, 64:ff9b:1::/48 (RFC 8215)
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

  /** Returns the IPv4 addresses to which a translator or tunnel sends packets for IPv6. */
  private static List<byte[]> embedded(byte[] b) {
    byte[] last = Arrays.copyOfRange(b, 12, 16);
    if (startsWith(b, NAT64)) {
      return List.of(last); // RFC 6052
    }
    List<byte[]> all = new ArrayList<>();
    if (startsWith(b, 0x20, 0x02)) {
      all.add(Arrays.copyOfRange(b, 2, 6)); // 6to4, RFC 3056
    }
    if (startsWith(b, 0x20, 0x01, 0, 0)) { // Teredo, RFC 4380: the server, and the client inverted
      all.add(Arrays.copyOfRange(b, 4, 8));
      byte[] client = last.clone();
      for (int i = 0; i < client.length; i++) {
        client[i] = (byte) ~client[i];
      }
      all.add(client);
    }
    if ((b[8] & 0xfd) == 0 && b[9] == 0 && b[10] == 0x5e && (b[11] & 0xff) == 0xfe) {
      all.add(last); // ISATAP, RFC 5214
    }
    return all;
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
