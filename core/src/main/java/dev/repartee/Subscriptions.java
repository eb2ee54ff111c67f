package dev.repartee;

import dev.repartee.internal.UserCode;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.stream.flow.Outflow;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** The subscriptions that the other side of one connection has opened here. Thread-safe. */
final class Subscriptions {
  /**
   * The number of random bytes in an id, too many to guess. An id is valid only on its connection;
   * logs may show it.
   */
  private static final int ID = 16;

  /** The generator of ids, which a server without subscriptions does not load. */
  private static final class Ids {
    static final SecureRandom RANDOM = new SecureRandom();
  }

  /** The bytes of the requests that are not charged to the memory budget. */
  private static final int FREE = 64 << 10;

  /** The memory in bytes that a subscription occupies in addition to its request. */
  private static final int OVERHEAD = 512;

  /** A subscription; a listener may be given its request as long as it lives. */
  private record Subscription(String unsubscribe, Outflow outflow, long size) {}

  private final int max;
  private final Map<String, Subscription> open = new HashMap<>(); // guarded by this
  private final MemoryBudget.Share share = MemoryBudget.ofProcess().share(FREE); // guarded by this
  private long held; // guarded by this
  private boolean closed; // guarded by this

  /**
   * @param max the number of subscriptions at the same time
   */
  Subscriptions(int max) {
    this.max = max;
  }

  static String newId() {
    byte[] id = new byte[ID];
    Ids.RANDOM.nextBytes(id);
    return "0x" + HexFormat.of().formatHex(id);
  }

  /**
   * Adds a subscription.
   *
   * @param request the size in bytes of the request, which stays in memory
   * @return null if it was added, otherwise the limit that it would exceed. None is added after the
   *     end of the connection
   */
  synchronized @Nullable LimitException add(
      String id, String unsubscribe, Outflow outflow, int request) {
    if (closed || open.size() >= max) {
      return new LimitException("subscriptions", max);
    }
    long size = (long) request + OVERHEAD;
    if (!share.hold(held + size)) {
      return share.refusal();
    }
    held += size;
    open.put(id, new Subscription(unsubscribe, outflow, size));
    return null;
  }

  /** Removes a subscription that has ended; returns false if its end was caused here. */
  synchronized boolean remove(String id) {
    Subscription ended = open.remove(id);
    if (ended != null) {
      release(ended.size());
    }
    return ended != null;
  }

  /** Ends a subscription with the method for that; returns whether there is one. */
  boolean end(String unsubscribe, String id) {
    Subscription ended;
    synchronized (this) {
      ended = open.get(id);
      if (ended == null || !ended.unsubscribe.equals(unsubscribe)) {
        return false;
      }
      remove(id);
    }
    stop(ended);
    return true;
  }

  /** Ends all subscriptions, because the connection has ended; adds none from now on. */
  void close() {
    List<Subscription> all;
    synchronized (this) {
      closed = true;
      all = new ArrayList<>(open.values());
      open.clear();
      release(held);
    }
    UserCode.forEach(all, Subscriptions::stop);
  }

  /** Returns memory to the budget. Needs the lock. */
  private void release(long bytes) {
    held -= bytes;
    share.hold(held);
  }

  private static void stop(Subscription ended) {
    ended.outflow.stop(new CancellationException("the subscription was ended"));
  }
}
