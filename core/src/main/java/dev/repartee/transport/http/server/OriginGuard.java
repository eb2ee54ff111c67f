package dev.repartee.transport.http.server;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Protects a server from the web pages of other sites. A page may reach a local server by DNS
 * rebinding: the page's own host name starts to resolve to 127.0.0.1. A browser sends that name in
 * {@code Host}, and the origin of the page in {@code Origin}. Loopback names, the name that the
 * server listens at, and the address that the client has connected to are admitted. All other names
 * must be listed.
 *
 * @param bound the host that the server listens at, in lower case
 * @param hosts further names of this server, in lower case; {@code *} if it may have any
 * @param origins further origins whose pages may call, such as {@code https://a.example}
 */
public record OriginGuard(String bound, Set<String> hosts, Set<String> origins) {
  /** The entry of {@code hosts} that admits every name. */
  private static final String ANY = "*";

  private static final Pattern AUTHORITY =
      Pattern.compile("(\\[[0-9A-Fa-f:.]+\\]|[!-~&&[^\\[\\]:/?#@]]+)(?::[0-9]{0,5})?");
  private static final Pattern ORIGIN = Pattern.compile("https?://(.*)", Pattern.CASE_INSENSITIVE);
  private static final Pattern LOOPBACK =
      Pattern.compile("127\\.[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}");

  /** The origin of a page or of an extension; {@code null} is the origin of a sandbox. */
  private static final Pattern LISTED = Pattern.compile("null|[a-z][a-z0-9+.-]*://[!-~&&[^/?#]]+");

  /**
   * Checks the entries, because an entry with an error would never match.
   *
   * @throws IllegalArgumentException if an entry is not a host or not an origin
   */
  public OriginGuard {
    for (String host : hosts) {
      boolean valid = host.equals(ANY) || host.equals(name(host)) || ipv6(host) != null;
      if (!valid) {
        throw new IllegalArgumentException("hosts=" + host
            + ": expected a name or address without scheme, port and path, such as"
            + " shop.example.com, or * for every name");
      }
    }
    for (String origin : origins) {
      if (!LISTED.matcher(origin).matches()) {
        throw new IllegalArgumentException("origins=" + origin
            + ": expected scheme and host without a path, such as https://shop.example.com");
      }
    }
  }

  /**
   * Returns whether a {@code Host} field may be served: it names this server, or every name may.
   *
   * @param local the address that the client has connected to, or null if it is not known
   */
  boolean isKnown(String authority, @Nullable InetSocketAddress local) {
    return isOurs(authority, local) || hosts.contains(ANY) && name(authority) != null;
  }

  /** Returns the host in an authority, in lower case; null if it is malformed. */
  static @Nullable String name(String authority) {
    Matcher parts = AUTHORITY.matcher(authority);
    if (!parts.matches()) {
      return null;
    }
    String host = parts.group(1).toLowerCase(Locale.ROOT);
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  private boolean isOurs(String authority, @Nullable InetSocketAddress local) {
    String host = name(authority);
    return host != null
        && (host.equals(bound)
            || host.equals("localhost")
            || host.equals("::1")
            || LOOPBACK.matcher(host).matches()
            || hosts.contains(host)
            || isAddress(host, local));
  }

  private static boolean isAddress(String host, @Nullable InetSocketAddress local) {
    if (local == null) {
      return false;
    }
    InetAddress address = local.getAddress();
    return host.indexOf(':') < 0
        ? host.equals(address.getHostAddress())
        : Arrays.equals(ipv6(host), address.getAddress());
  }

  /** Returns the bytes of an IPv6 address; null if it is none. */
  private static byte @Nullable [] ipv6(String host) {
    try {
      return InetAddress.getByName("[" + host + "]").getAddress(); // brackets: no DNS look-up
    } catch (UnknownHostException e) {
      return null;
    }
  }

  /**
   * Returns whether pages of an origin may call: pages of this server, and of listed origins. If
   * every host may be served, pages of the same host are pages of this server.
   *
   * @param authority the {@code Host} field of the request, or null if there is none
   */
  boolean admits(String origin, @Nullable String authority, @Nullable InetSocketAddress local) {
    if (isListed(origin)) {
      return true;
    }
    Matcher parts = ORIGIN.matcher(origin);
    if (!parts.matches()) {
      return false;
    }
    String from = parts.group(1);
    return isOurs(from, local)
        || hosts.contains(ANY) && authority != null && from.equalsIgnoreCase(authority);
  }

  /** Returns whether an origin is listed; then its pages may read the responses too. */
  boolean isListed(String origin) {
    return origins.contains(origin.toLowerCase(Locale.ROOT));
  }
}
