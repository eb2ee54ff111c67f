package dev.repartee.a2a.client;

import dev.repartee.ProtocolException;
import dev.repartee.limits.NetworkRange;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Locale;

/**
 * Decides which address a fetched card may name, so that a card cannot make its client send
 * requests to internal services (server-side request forgery). The card of a host in the public
 * Internet leads to public addresses only, the card of a host in a private network also to private
 * ones, and the card of this machine to all. A card always leads to its own host.
 */
final class CardAddresses {
  /** Resolves the name of a host. */
  interface Resolver {
    InetAddress[] resolve(String host) throws UnknownHostException;
  }

  private final Resolver resolver;

  CardAddresses(Resolver resolver) {
    this.resolver = resolver;
  }

  /**
   * Checks an address. A host without an address passes: the request to it fails, or a proxy knows
   * it.
   *
   * @param card the address of the card
   * @throws ProtocolException if the card may not name the address
   */
  void check(URI card, URI named) {
    String from = host(card);
    String to = host(named);
    if (from.equals(to) || isLoopback(from)) {
      return;
    }
    boolean isPrivate = all(from, NetworkRange.PRIVATE);
    try {
      for (InetAddress each : resolver.resolve(to)) {
        NetworkRange range = NetworkRange.of(each);
        if (range != NetworkRange.PUBLIC && !(isPrivate && range == NetworkRange.PRIVATE)) {
          throw new ProtocolException("the card of " + from + " names " + to + ", an address "
              + (range == NetworkRange.LOOPBACK ? "of this machine" : "in a private network")
              + "; if this is right, connect to the address with endpoint()");
        }
      }
    } catch (UnknownHostException e) {
      // see above
    }
  }

  private boolean all(String host, NetworkRange range) {
    try {
      return Arrays.stream(resolver.resolve(host)).map(NetworkRange::of).allMatch(range::equals);
    } catch (UnknownHostException e) {
      return false;
    }
  }

  private static String host(URI uri) {
    String host = uri.getHost().toLowerCase(Locale.ROOT);
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  /** By its name: a name of the Internet that resolves to 127.0.0.1 is not this machine. */
  private static boolean isLoopback(String host) {
    return host.equals("localhost")
        || host.endsWith(".localhost")
        || host.equals("::1")
        || host.matches("127(\\.\\d{1,3}){3}");
  }
}
