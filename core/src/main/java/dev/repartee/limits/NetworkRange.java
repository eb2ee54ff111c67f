package dev.repartee.limits;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The part of the network that an address belongs to. For checks of addresses that a peer has
 * named, so that the peer cannot make this process send requests to internal services (server-side
 * request forgery).
 */
public enum NetworkRange {
  /** This machine. */
  LOOPBACK,
  /** A private network (RFC 1918, RFC 4193, RFC 6598). */
  PRIVATE,
  /** A link-local or reserved address, such as the address of a cloud's metadata service. */
  RESERVED,
  /** The public Internet. */
  PUBLIC;

  /** Resolves the name of a host: {@code InetAddress::getAllByName}. May block. */
  @FunctionalInterface
  public interface Resolver {
    /**
     * Returns the addresses of a host.
     *
     * @param host a name, or an address as text
     * @throws UnknownHostException if the host has no address
     */
    InetAddress[] resolve(String host) throws UnknownHostException;
  }

  /** The well-known prefix of translators, 64:ff9b::/96 (RFC 6052). */
  private static final int[] NAT64 = {0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0};

  /**
   * Returns the range of an address. If an IPv6 address embeds an IPv4 address (NAT64, 6to4,
   * Teredo, ISATAP) that is not public, returns the range of the IPv4 address.
   */
  public static NetworkRange of(InetAddress address) {
    if (address.isLoopbackAddress()) {
      return LOOPBACK;
    }
    byte[] b = address.getAddress();
    if (address instanceof Inet6Address) {
      for (byte[] embedded : embedded(b)) {
        try {
          NetworkRange inner = of(InetAddress.getByAddress(embedded));
          if (inner != PUBLIC) {
            return inner;
          }
        } catch (UnknownHostException e) {
          throw new IllegalStateException(e); // 4 bytes are an address
        }
      }
      if ((b[0] & 0xfe) == 0xfc || address.isSiteLocalAddress()) {
        return PRIVATE; // RFC 4193
      }
      return (b[0] & 0xe0) == 0x20 || startsWith(b, NAT64)
          ? PUBLIC // global unicast, 2000::/3
          : RESERVED; // also the local prefix of NAT64, 64:ff9b:1::/48 (RFC 8215)
    }
    if (address.isSiteLocalAddress() || startsWith(b, 100) && (b[1] & 0xc0) == 64) {
      return PRIVATE; // RFC 1918, and RFC 6598: 100.64.0.0/10
    }
    boolean reserved = b[0] == 0
        || (b[0] & 0xff) >= 224
        || address.isLinkLocalAddress()
        || startsWith(b, 192, 0, 0)
        || startsWith(b, 198) && (b[1] & 0xfe) == 18;
    return reserved ? RESERVED : PUBLIC;
  }

  /**
   * Returns the ranges of all addresses of a host, as a new set. A host may have addresses of
   * several ranges, and the caller cannot know which of them a connection uses.
   *
   * @throws UnknownHostException if the host has no address
   */
  public static Set<NetworkRange> of(String host, Resolver resolver) throws UnknownHostException {
    Set<NetworkRange> ranges = EnumSet.noneOf(NetworkRange.class);
    for (InetAddress each : resolver.resolve(host)) {
      ranges.add(of(each));
    }
    return ranges;
  }

  /**
   * Returns whether a host is a loopback name, or a loopback address as text. An Internet name that
   * resolves to 127.0.0.1 does not count.
   *
   * @param host the host; an IPv6 address without brackets
   */
  public static boolean isLoopback(String host) {
    String name = host.toLowerCase(Locale.ROOT);
    return name.equals("localhost")
        || name.endsWith(".localhost")
        || name.equals("::1")
        || name.matches("127(\\.\\d{1,3}){3}");
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
