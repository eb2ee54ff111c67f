package dev.repartee.security;

import dev.repartee.limits.NetworkRange;
import java.net.URI;
import java.util.Locale;

/** The rules for the addresses of an authorization server. */
final class IssuerAddress {
  private IssuerAddress() {}

  /**
   * Checks an address that an operator has configured. It may be in a private network.
   *
   * @throws IllegalArgumentException if it is neither HTTPS nor HTTP on loopback, or has a user or
   *     a fragment
   */
  static URI require(URI uri) {
    String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
    String host = uri.getHost();
    boolean isSafe =
        host != null && (scheme.equals("https") || scheme.equals("http") && isLoopback(host));
    if (!isSafe || uri.getRawUserInfo() != null || uri.getRawFragment() != null) {
      throw new IllegalArgumentException("'" + uri.getScheme() + "://" + host + "' is refused: an"
          + " address of an authorization server begins with https:// and has no user and no"
          + " fragment; http:// is allowed on this machine only");
    }
    return uri;
  }

  private static boolean isLoopback(String host) {
    return NetworkRange.isLoopback(
        host.startsWith("[") ? host.substring(1, host.length() - 1) : host);
  }
}
