package dev.repartee.security;

import dev.repartee.limits.ClientShares;
import dev.repartee.transport.ChannelInfo;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** The names of clients without a principal, for counts. */
final class Clients {
  private Clients() {}

  /**
   * Returns the address of a client, of IPv6 the first 64 bits; without an address, the name of the
   * transport, which all its clients share.
   */
  static String name(@Nullable InetSocketAddress remote, ChannelInfo channel) {
    InetAddress address = remote == null ? null : remote.getAddress();
    return address == null ? "transport " + channel.transport() : ClientShares.client(address);
  }
}
