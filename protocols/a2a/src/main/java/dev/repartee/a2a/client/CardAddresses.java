package dev.repartee.a2a.client;

import dev.repartee.ProtocolException;
import dev.repartee.limits.NetworkRange;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * Decides which addresses a fetched card may contain, so that a card cannot make its client send
 * requests to internal services (server-side request forgery). The card of a host in the public
 * Internet may contain only public addresses. The card of a host in a private network may also
 * contain private addresses. The card of this machine may contain all addresses. The host of the
 * card is always allowed, unless its name resolves to another network than when the card was
 * fetched (DNS rebinding).
 *
 * <p>The JDK caches resolved addresses for 30 seconds. It therefore connects to the checked
 * addresses, unless the cache expires in between.
 */
final class CardAddresses {
  private final URI card;
  private final NetworkRange.Resolver resolver;

  /** The networks that the host of the card may have. */
  private final Set<NetworkRange> own;

  /** The networks that another host may have. */
  private final Set<NetworkRange> others;

  /** Resolves the host of a card. Must be called right before the card is fetched. */
  CardAddresses(URI card, NetworkRange.Resolver resolver) {
    this.card = card;
    this.resolver = resolver;
    boolean isLoopback = NetworkRange.isLoopback(host(card));
    own = isLoopback ? EnumSet.allOf(NetworkRange.class) : ranges(host(card));
    boolean isPrivate = own.equals(EnumSet.of(NetworkRange.PRIVATE));
    own.add(NetworkRange.PUBLIC);
    others = isLoopback || isPrivate ? own : EnumSet.of(NetworkRange.PUBLIC);
  }

  URI card() {
    return card;
  }

  /**
   * Checks an address. Accepts a host that does not resolve: the request to it fails, unless a
   * proxy resolves it.
   *
   * @throws ProtocolException if the card must not contain the address
   */
  void check(URI named) {
    String from = host(card);
    String to = host(named);
    boolean isOwn = from.equals(to);
    for (NetworkRange range : ranges(to)) {
      if (!(isOwn ? own : others).contains(range)) {
        throw new ProtocolException("the card of " + from
            + (isOwn ? " names its host, which has now" : " names " + to + ",")
            + " an address "
            + (range == NetworkRange.LOOPBACK ? "of this machine" : "in a private network")
            + "; if this is right, connect to the address with endpoint()");
      }
    }
  }

  private Set<NetworkRange> ranges(String host) {
    try {
      return NetworkRange.of(host, resolver);
    } catch (UnknownHostException e) {
      return EnumSet.noneOf(NetworkRange.class);
    }
  }

  private static String host(URI uri) {
    String host = uri.getHost().toLowerCase(Locale.ROOT);
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }
}
