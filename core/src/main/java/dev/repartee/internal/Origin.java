package dev.repartee.internal;

import java.net.URI;
import java.util.Locale;

/** The origin of an HTTP address: its scheme, host and port (RFC 6454). */
public final class Origin {
  private Origin() {}

  /** Returns the origin of an address with a host, without the default port of its scheme. */
  public static String of(URI uri) {
    String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
    String host = uri.getHost().toLowerCase(Locale.ROOT);
    int port = uri.getPort();
    boolean isDefault = port < 0 || port == (scheme.equals("https") ? 443 : 80);
    return scheme + "://" + host + (isDefault ? "" : ":" + port);
  }

  /** Returns whether two addresses have the same origin; false if one has no host or scheme. */
  public static boolean isSame(URI a, URI b) {
    return isComplete(a) && isComplete(b) && of(a).equals(of(b));
  }

  private static boolean isComplete(URI uri) {
    return uri.getScheme() != null && uri.getHost() != null;
  }
}
