package dev.repartee.mcp.state;

import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * The notifications of changes that one client has not received yet, in order. {@link #add} offers
 * a notification immediately and never waits. If the client's write queue is full, the notification
 * stays here and is offered again later, until the client reads or disconnects. Each subject has at
 * most one notification: a client that does not read gets one notification for any number of
 * changes.
 *
 * <p>Thread-safe. The lock of this object guards all fields except the pause. It is not held while
 * a notification is offered. {@code offering} is true if a thread offers notifications or is
 * scheduled to do so. Only one thread at a time offers, which keeps the order. After {@link #TURN}
 * notifications it hands the rest to another thread, because other threads may add notifications as
 * fast as it offers them.
 */
public final class Notices {
  /**
   * The first pause before a retry. It is short, because the queue of a client that reads has room
   * soon. It doubles up to {@link #LONGEST_MILLIS}, because retries for a client that does not read
   * are wasted.
   */
  private static final long SHORTEST_MILLIS = 50;

  private static final long LONGEST_MILLIS = 2_000;

  /**
   * The maximum number of subjects. Needed although a client's subscriptions are bounded, because a
   * client can replace its subscriptions.
   */
  private static final int MAX = 10_000;

  /** The maximum number of notifications that one thread offers before it hands the rest over. */
  private static final int TURN = 16;

  // Guarded by this. A notification is a supplier that returns false if the write queue is full.
  private final Map<Object, BooleanSupplier> pending = new LinkedHashMap<>();
  private boolean offering;
  private boolean over;

  /** The pause before the next retry; used only by the thread that offers. */
  private long pause = SHORTEST_MILLIS;

  public Notices() {}

  /** Creates notices with a notification that precedes all others; {@link #begin} offers it. */
  public Notices(BooleanSupplier first) {
    pending.put(this, first);
    offering = true;
  }

  /** Offers the first notification and all notifications that were added since. */
  public void begin() {
    offerAll();
  }

  /** Adds a notification, or replaces the unsent notification of the same subject. */
  public void add(Object subject, BooleanSupplier notice) {
    synchronized (this) {
      if (over || pending.size() >= MAX && !pending.containsKey(subject)) {
        return;
      }
      pending.put(subject, notice);
      if (offering) {
        return; // the offering thread or the scheduled retry sends it
      }
      offering = true;
    }
    offerAll();
  }

  /** Drops all notifications: the client has disconnected. */
  public synchronized void close() {
    over = true;
    pending.clear();
  }

  private void offerAll() {
    for (int offered = 0; offered < TURN; offered++) {
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
        Clock.SYSTEM.schedule(Duration.ofMillis(millis), Threads.CALLS, this::offerAll);
        return;
      }
      pause = SHORTEST_MILLIS;
      synchronized (this) {
        pending.remove(subject, notice); // unless add() has replaced it
      }
    }
    Threads.start(Threads.CALLS, this::offerAll);
  }

  /**
   * Offers a notification. Returns false if the write queue is full. A notification that throws is
   * dropped: it may be too large for a message, and the client can still ask for the state.
   */
  private static boolean isOffered(BooleanSupplier notice) {
    try {
      return notice.getAsBoolean();
    } catch (RuntimeException e) {
      return true;
    }
  }
}
