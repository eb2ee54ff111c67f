package dev.repartee.telemetry;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Caches the texts of IP addresses. {@link InetAddress#getHostAddress} formats the address at each
 * call. The cache has a fixed number of entries; addresses with the same hash replace each other.
 * Thread-safe.
 */
final class AddressTexts {
  /** A power of two. */
  private static final int ENTRIES = 256;

  private record Entry(InetAddress address, String text) {}

  private final AtomicReferenceArray<Entry> entries = new AtomicReferenceArray<>(ENTRIES);

  /** Returns the numeric text of an address, as {@link InetAddress#getHostAddress} does. */
  String of(InetAddress address) {
    if (address instanceof Inet6Address scoped && scoped.getScopeId() != 0) {
      return address.getHostAddress(); // equals() ignores the scope, which is a part of the text
    }
    int hash = address.hashCode();
    int index = (hash ^ hash >>> Byte.SIZE) & ENTRIES - 1;
    Entry found = entries.get(index);
    if (found == null || !found.address.equals(address)) {
      found = new Entry(address, address.getHostAddress());
      entries.set(index, found);
    }
    return found.text;
  }
}
