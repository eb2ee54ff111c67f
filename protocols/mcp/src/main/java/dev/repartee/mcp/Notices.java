package dev.repartee.mcp;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * What one client has still to be told of changes, in their order. Whoever adds a notice offers it at once
 * where there is room, and never waits: without room it stays here and is offered again, until the
 * client reads or its connection ends. There is one notice at most for each subject, so a client that does
 * not read is told once how often a thing has changed. Thread-safe; no lock is held while a notice is
 * offered.
 */
final class Notices {
  /** A client that reads has room again soon; for one that does not, looking often is work in vain. */
  private static final long SHORTEST_MILLIS = 50;

  private static final long LONGEST_MILLIS = 2_000;

  /** The subjects of a client are bounded by what it may ask for, but it may ask for others in turn. */
  private static final int MAX = 10_000;

  // Guarded by this. A notice returns whether there was room for it.
  private final Map<Object, BooleanSupplier> pending = new LinkedHashMap<>();
  private boolean offering;
  private boolean over;

  /** The time until the next attempt; only the thread that offers uses it. */
  private long pause = SHORTEST_MILLIS;

  Notices() {}

  /** Starts with a notice that goes before all others; nothing is offered before {@link #begin}. */
  Notices(BooleanSupplier first) {
    pending.put(this, first);
    offering = true;
  }

  /** Offers the first notice, and those that were added since. */
  void begin() {
    offerAll();
  }

  /** Adds a notice, in the place of an earlier one of the same subject that the client was not told of. */
  void add(Object subject, BooleanSupplier notice) {
    synchronized (this) {
      if (over || pending.size() >= MAX && !pending.containsKey(subject)) {
        return;
      }
      pending.put(subject, notice);
      if (offering) {
        return; // the thread that offers, or the next attempt, finds it
      }
      offering = true;
    }
    offerAll();
  }

  /** Drops all notices: the client has gone. */
  synchronized void close() {
    over = true;
    pending.clear();
  }

  private void offerAll() {
    while (true) {
      Object subject;
      BooleanSupplier notice;
      synchronized (this) {
        if (pending.isEmpty()) {
          offering = false;
          return;
        }
        var next = pending.entrySet().iterator().next();
        subject = next.getKey();
        notice = next.getValue();
      }
      if (!isOffered(notice)) {
        long millis = pause;
        pause = Math.min(2 * millis, LONGEST_MILLIS);
        CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS).execute(this::offerAll);
        return;
      }
      pause = SHORTEST_MILLIS;
      synchronized (this) {
        pending.remove(subject, notice); // unless there is a newer one
      }
    }
  }

  /** One that fails is dropped: what does not fit into a message, the client finds where it asks. */
  private static boolean isOffered(BooleanSupplier notice) {
    try {
      return notice.getAsBoolean();
    } catch (RuntimeException e) {
      return true;
    }
  }
}
