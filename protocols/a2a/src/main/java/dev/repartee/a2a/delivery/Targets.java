package dev.repartee.a2a.delivery;

import dev.repartee.limits.NetworkRange;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks the addresses of clients for push notifications (section 13.2). By default, only addresses
 * in the public Internet are allowed.
 *
 * <p>The address is checked before each notification. The JDK caches resolved addresses for 30
 * seconds. It therefore connects to the checked address, unless the cache expires in between.
 */
final class Targets {
  private Targets() {}

  /**
   * Returns the reason to refuse an address, or null to accept it. May block to resolve the
   * address.
   */
  static @Nullable String fault(String url, boolean allowsPrivate, NetworkRange.Resolver resolver) {
    URI uri;
    try {
      uri = new URI(url);
    } catch (URISyntaxException e) {
      return "is not a URI";
    }
    boolean isHttp =
        "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
    if (!isHttp || uri.getHost() == null) {
      return "is not an HTTP address";
    }
    if (uri.getRawUserInfo() != null) {
      return "must not contain a user";
    }
    return allowsPrivate ? null : range(uri.getHost(), resolver);
  }

  private static @Nullable String range(String host, NetworkRange.Resolver resolver) {
    try {
      boolean isPublic = NetworkRange.of(host, resolver).equals(Set.of(NetworkRange.PUBLIC));
      return isPublic ? null : "is not in the public Internet";
    } catch (UnknownHostException e) {
      return "has an unknown host";
    }
  }
}
