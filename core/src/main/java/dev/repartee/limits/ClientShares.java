package dev.repartee.limits;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Divides a bounded store between its clients, so that no client keeps the others out. Counts the
 * entries of the store and their bytes by client, and names the entry to remove at a limit.
 *
 * <ul>
 *   <li>The entries of one client that have not ended use half of the store at most. At the half,
 *       a new entry replaces the oldest waiting entry of the same client, or is refused. A waiting
 *       entry that its client continues does the same. An entry that runs may grow beyond the half.
 *   <li>At the limit of the store, a new or longer entry replaces the oldest ended entry of the
 *       client with the largest share. If it has none, it replaces the oldest waiting entry, unless
 *       this client has a smaller share than the client of the new entry.
 * </ul>
 *
 * <p>A running entry is never removed. Not thread-safe: the lock of the store guards it.
 */
public final class ClientShares {
  /** The use of an entry. */
  public enum Use {
    /** The server works on the entry. */
    RUNNING,
    /** The entry waits for its client. */
    WAITING,
    /** The entry is kept for later look-ups only. */
    ENDED
  }

  /** A limit of a store. */
  public enum Bound {
    /** The number of entries. */
    ENTRIES,
    /** The number of bytes. */
    BYTES
  }

  private record Entry(String client, long bytes, Use use) {}

  /** The entries of one client; the ids of each use in the order of their last change. */
  private final class Share implements Comparable<Share> {
    private final String client;

    /** Orders shares of the same size by age. */
    private final long number = ++created;

    private final Map<Use, LinkedHashSet<String>> ids = new EnumMap<>(Use.class);
    private long bytes;
    private int open;
    private long openBytes;

    Share(String client) {
      this.client = client;
      for (Use use : Use.values()) {
        ids.put(use, new LinkedHashSet<>());
      }
    }

    private LinkedHashSet<String> of(Use use) {
      return Objects.requireNonNull(ids.get(use));
    }

    int size() {
      return ids.values().stream().mapToInt(LinkedHashSet::size).sum();
    }

    void add(String id, Entry entry, int sign) {
      LinkedHashSet<String> same = of(entry.use);
      if (sign > 0) {
        same.add(id);
      } else {
        same.remove(id);
      }
      bytes += sign * entry.bytes;
      open += entry.use == Use.ENDED ? 0 : sign;
      openBytes += entry.use == Use.ENDED ? 0 : sign * entry.bytes;
    }

    /** Returns the part of the store that the client uses, from 0 to 1. */
    double part() {
      return Math.max((double) size() / maxEntries, (double) bytes / maxBytes);
    }

    /** Orders the largest share first. The order changes with each entry. */
    @Override
    public int compareTo(Share other) {
      int larger = Double.compare(other.part(), part());
      return larger == 0 ? Long.compare(number, other.number) : larger;
    }

    /** Returns the entry of this use that has not changed for longest; null if there is none. */
    @Nullable String oldest(Use use, String kept) {
      for (String id : of(use)) {
        if (!id.equals(kept)) {
          return id;
        }
      }
      return null;
    }
  }

  private final int maxEntries;
  private final long maxBytes;
  private final Map<String, Entry> entries = new HashMap<>();

  /** The shares by client, without clients that have no entry. */
  private final Map<String, Share> shares = new HashMap<>();

  /** The same shares, the largest first. A share is removed while its entries change. */
  private final NavigableSet<Share> largestFirst = new TreeSet<>();

  private long created;
  private long bytes;

  /**
   * Creates the shares of an empty store.
   *
   * @param maxEntries the maximum number of entries
   * @param maxBytes the maximum size of all entries in bytes
   */
  public ClientShares(int maxEntries, long maxBytes) {
    this.maxEntries = maxEntries;
    this.maxBytes = maxBytes;
  }

  /**
   * Returns the name of a client: its principal, or the host of its address if it has no principal.
   * Of an IPv6 address it is the first 64 bits, since one client usually has the whole /64.
   *
   * @param principal the name of the authenticated client; null without authentication
   * @param remote the address and port of the client, as in {@code ChannelInfo.remote}
   */
  public static String client(@Nullable String principal, String remote) {
    return principal == null ? "address " + address(remote) : "principal " + principal;
  }

  /** Returns the name of a client without a principal, as {@link #client(String, String)} does. */
  public static String client(InetAddress address) {
    return "address " + network(address, address.getHostAddress());
  }

  private static String address(String remote) {
    int colon = remote.lastIndexOf(':');
    String host = colon < 0 ? remote : remote.substring(0, colon);
    if (!host.startsWith("[")) {
      return host;
    }
    try {
      return network(InetAddress.getByName(host), host); // a literal: no DNS look-up
    } catch (UnknownHostException e) {
      return host;
    }
  }

  private static String network(InetAddress address, String host) {
    byte[] bits = address.getAddress();
    return bits.length == 16 ? Arrays.toString(Arrays.copyOf(bits, 8)) : host;
  }

  /** Returns the number of entries. */
  public int size() {
    return entries.size();
  }

  /** Returns the size of all entries in bytes. */
  public long bytes() {
    return bytes;
  }

  /** Adds an entry, or replaces the entry with its id. Checks no limit. */
  public void put(String id, String client, long bytes, Use use) {
    remove(id);
    Entry entry = new Entry(client, bytes, use);
    entries.put(id, entry);
    change(shares.computeIfAbsent(client, Share::new), id, entry, 1);
  }

  /** Removes an entry; does nothing if there is none. */
  public void remove(String id) {
    Entry entry = entries.remove(id);
    if (entry == null) {
      return;
    }
    change(shares.computeIfAbsent(entry.client, Share::new), id, entry, -1);
  }

  private void change(Share share, String id, Entry entry, int sign) {
    largestFirst.remove(share);
    share.add(id, entry, sign);
    bytes += sign * entry.bytes;
    if (share.size() == 0) {
      shares.remove(share.client);
    } else {
      largestFirst.add(share);
    }
  }

  /**
   * Returns whether the entries of a client that have not ended use at most half of the store after
   * a change.
   *
   * @param moreEntries the number of additional entries
   * @param moreBytes the additional bytes
   * @return the limit whose half is exceeded; null if none is
   */
  public @Nullable Bound half(String client, int moreEntries, long moreBytes) {
    Share share = shares.get(client);
    int open = share == null ? 0 : share.open;
    long openBytes = share == null ? 0 : share.openBytes;
    return open + moreEntries > maxEntries - maxEntries / 2
        ? Bound.ENTRIES
        : openBytes + moreBytes > maxBytes - maxBytes / 2 ? Bound.BYTES : null;
  }

  /**
   * Removes entries until there is room for a new entry, or for a longer entry with a known id.
   * Does not add the entry.
   *
   * @param use the use of the entry after {@link #put}
   * @param removed gets the id of each removed entry
   * @return the limit that refuses the entry; null if there is room
   */
  public @Nullable Bound makeRoom(
      String id, String client, long bytes, Use use, Consumer<String> removed) {
    if (bytes > maxBytes) {
      return Bound.BYTES;
    }
    Entry known = entries.get(id);
    boolean isOfClient = known == null || known.use == Use.WAITING && use != Use.ENDED;
    int moreEntries = known == null ? 1 : 0;
    long moreBytes = bytes - (known == null ? 0 : known.bytes);
    Bound half = isOfClient ? half(client, moreEntries, moreBytes) : null;
    while (half != null) {
      Share share = shares.get(client);
      String oldest = share == null ? null : share.oldest(Use.WAITING, id);
      if (oldest == null) {
        return half;
      }
      evict(oldest, removed);
      half = half(client, moreEntries, moreBytes);
    }
    Bound full = full(moreEntries, moreBytes);
    while (full != null) {
      String next = next(id, client);
      if (next == null) {
        return full;
      }
      evict(next, removed);
      full = full(moreEntries, moreBytes);
    }
    return null;
  }

  private void evict(String id, Consumer<String> removed) {
    remove(id);
    removed.accept(id);
  }

  private @Nullable Bound full(int moreEntries, long moreBytes) {
    return entries.size() + moreEntries > maxEntries
        ? Bound.ENTRIES
        : bytes + moreBytes > maxBytes ? Bound.BYTES : null;
  }

  /** Returns the entry to remove; null if no entry may be removed. */
  private @Nullable String next(String id, String client) {
    Share own = shares.get(client);
    double part = own == null ? 0 : own.part();
    for (Share share : largestFirst) {
      String oldest = share.oldest(Use.ENDED, id);
      if (oldest == null && (share == own || share.part() > part)) {
        oldest = share.oldest(Use.WAITING, id);
      }
      if (oldest != null) {
        return oldest;
      }
    }
    return null;
  }
}
