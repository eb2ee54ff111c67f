package dev.repartee.mcp.state;

import dev.repartee.access.Principal;
import dev.repartee.limits.ClientShares;
import dev.repartee.limits.MemoryBudget;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A memory budget of sessions, in bytes. Each owner of sessions may use half of it. An owner is a
 * principal, or the address of a client.
 *
 * <p>HTTP and connections have separate budgets of the same size. A new HTTP session may replace
 * another HTTP session, but a connection keeps its session until it is closed. With one budget,
 * connections could therefore end all HTTP sessions.
 *
 * <p>Thread-safe. The lock of this object guards all numbers. No other lock is acquired while it is
 * held.
 */
public final class SessionMemory {
  /**
   * The size of a small session in bytes. The small sessions of connections are not counted,
   * because the buffers of their connections are larger. A connection can therefore always begin a
   * small session.
   */
  private static final int SMALL = 8 << 10;

  private static final long MAX = MemoryBudget.ofProcess().max() / 8;

  /** The memory of all HTTP sessions of the process. */
  public static final SessionMemory HTTP = new SessionMemory(MAX, 0);

  /** The memory of the sessions of all connections of the process, without small sessions. */
  public static final SessionMemory CONNECTIONS = new SessionMemory(MAX, SMALL);

  /** The share of a session without state: it cannot grow. */
  public static final Share NONE = new SessionMemory(0, 0).share("");

  private final long max;
  private final int free;
  private final Map<String, Long> owners = new HashMap<>(); // without owners of zero bytes
  private long held;

  /**
   * Returns the owner of a client's sessions: the name of its principal, or its address.
   *
   * @param remote the address and port of the client as in {@link
   *     dev.repartee.transport.ChannelInfo#remote}
   */
  public static String owner(@Nullable Principal principal, String remote) {
    return ClientShares.client(principal == null ? null : principal.name(), remote);
  }

  /** Creates a budget that does not count sessions of up to {@code free} bytes. */
  SessionMemory(long max, int free) {
    this.max = max;
    this.free = free;
  }

  /** Returns the size of the budget in bytes. */
  public long max() {
    return max;
  }

  /** Returns a copy of the bytes of each owner, without owners of zero bytes. */
  public synchronized Map<String, Long> owners() {
    return Map.copyOf(owners);
  }

  /** Returns an empty share for a session of the owner. */
  public Share share(String owner) {
    return new Share(owner);
  }

  /** The part of the budget that one session uses. {@code hold(0)} releases it. */
  public final class Share {
    private final String owner;
    private long counted;

    private Share(String owner) {
      this.owner = owner;
    }

    /**
     * Sets the size of this share.
     *
     * @return false, without a change, if the share would grow beyond the budget or beyond the half
     *     of its owner
     */
    public boolean hold(long bytes) {
      synchronized (SessionMemory.this) {
        long more = more(bytes);
        if (more > 0 && (more > max - held || !ownerHasRoom(bytes))) {
          return false;
        }
        held += more;
        counted += more;
        long all = owners.getOrDefault(owner, 0L) + more;
        if (all > 0) {
          owners.put(owner, all);
        } else {
          owners.remove(owner);
        }
        return true;
      }
    }

    /** Returns whether the half of the owner has room for this share at that size. */
    public boolean ownerHasRoom(long bytes) {
      synchronized (SessionMemory.this) {
        return owners.getOrDefault(owner, 0L) + more(bytes) <= max / 2;
      }
    }

    private long more(long bytes) {
      return (bytes <= free ? 0 : bytes) - counted;
    }

    /** Returns the bytes that are counted for this share. */
    public long counted() {
      synchronized (SessionMemory.this) {
        return counted;
      }
    }

    /** Returns the size of the whole budget in bytes. */
    public long max() {
      return max;
    }
  }
}
