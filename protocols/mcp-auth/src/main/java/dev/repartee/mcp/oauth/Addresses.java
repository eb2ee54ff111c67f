package dev.repartee.mcp.oauth;

import dev.repartee.limits.NetworkRange;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Set;

/**
 * Checks the addresses in the metadata of an MCP server (specification, "Security Best Practices":
 * server-side request forgery). All must be HTTPS. A server in the public Internet may refer only
 * to public addresses; the metadata of a server on loopback may contain any address.
 *
 * <p>The address is checked before each request to an endpoint. The JDK connects to the addresses
 * that were resolved here, since it caches them for 30 seconds. With another setting of that cache,
 * a name could change between check and connection; in this case the certificate of an internal
 * server does not match the name.
 */
final class Addresses {
  private final URI server;
  private final NetworkRange.Resolver resolver;

  Addresses(URI server, NetworkRange.Resolver resolver) {
    this.server = server;
    this.resolver = resolver;
  }

  static boolean isLoopback(URI uri) {
    return NetworkRange.isLoopback(host(uri));
  }

  private static String host(URI uri) {
    String host = uri.getHost() == null ? "" : uri.getHost().toLowerCase(Locale.ROOT);
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  /**
   * Checks an address.
   *
   * @param what describes the address in an exception, such as {@code token_endpoint of ISSUER}
   * @throws AuthorizationException if the address may not be used
   */
  URI check(String what, String text) {
    if (text.length() > Document.LONGEST) {
      throw refused(what, text, "which has more than " + Document.LONGEST + " characters");
    }
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      throw refused(what, text, "which is no URI");
    }
    String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
    if (!scheme.equals("https") && !scheme.equals("http") || uri.getHost() == null) {
      throw refused(what, text, "which is not an HTTPS address");
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
    for (NetworkRange network : networks(what, uri)) {
      if (network != NetworkRange.PUBLIC
          && !(network == NetworkRange.PRIVATE && isPrivate() && scheme.equals("https"))) {
        throw refused(
            what,
            text,
            "a " + phrase(network) + " address; " + server.getHost()
                + (network == NetworkRange.PRIVATE ? " in the public Internet" : "")
                + " may not name one");
      }
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
      return NetworkRange.of(host(server), resolver).equals(Set.of(NetworkRange.PRIVATE));
    } catch (UnknownHostException e) {
      return false;
    }
  }

  private Set<NetworkRange> networks(String what, URI uri) {
    if (isLoopback(uri)) {
      return Set.of(NetworkRange.LOOPBACK);
    }
    try {
      return NetworkRange.of(host(uri), resolver);
    } catch (UnknownHostException e) {
      throw new AuthorizationException("the host of the " + what + " is unknown: " + uri.getHost());
    }
  }

  private static String phrase(NetworkRange range) {
    return range == NetworkRange.RESERVED
        ? "link-local or reserved"
        : range.name().toLowerCase(Locale.ROOT);
  }
}
