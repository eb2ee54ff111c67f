package dev.repartee.a2a.client;

import dev.repartee.ProtocolException;
import dev.repartee.limits.NetworkRange;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * Decides which addresses a fetched card may lead to. A card cannot make its client send requests to
 * internal services (server-side request forgery). The card of a host in the public
 * Internet leads to public addresses only, the card of a host in a private network also to private
 * ones, and the card of this machine to all. A card always leads to its own host, unless the name
 * of the host resolves to another network than at the fetch (DNS rebinding).
 *
 * <p>The JDK connects to the addresses of the check, since it caches them for 30 seconds, unless the
 * cache expires in between.
 */
final class CardAddresses {
  private final URI card;
  private final NetworkRange.Resolver resolver;

  /** The networks that the host of the card may have. */
  private final Set<NetworkRange> own;

  /** The networks that another host may have. */
  private final Set<NetworkRange> others;

  /** Resolves the host of a card. To be called right before the card is fetched. */
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
   * Checks an address. A host without an address passes: the request to it fails, or a proxy knows
   * it.
   *
   * @throws ProtocolException if the card may not lead to the address
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
