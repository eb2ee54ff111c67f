package dev.repartee.mcp.client;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Measures the time of one call. The clock stands still while a handler of the client answers a
 * question that may belong to the call: a user may need minutes, and the server does nothing
 * meanwhile. In the stateless revision a question belongs to one call. A question of a handshake
 * revision names no call, and stops the clocks of the calls that run when it arrives. A server could
 * ask a question that the user leaves unanswered, so a clock stands still for a limited time in all.
 *
 * <p>Thread-safe. The monitor guards all fields, and no code of others is called under it.
 */
final class CallClock {
  /** The longest time, in all, for which the clock of a call stands still. */
  private static final Duration LONGEST = Duration.ofHours(1);

  private final LongSupplier system;
  private final long longest;

  /** The clocks with a running timer. */
  private final Set<CallClock> running;

  private int timers;
  private int asking;

  /** The time of the system at which the clock has stopped. */
  private long stopped;

  /** The time for which questions were open before, in nanoseconds; may be above the longest. */
  private long still;

  private CompletableFuture<@Nullable Void> answered = CompletableFuture.completedFuture(null);

  /** Creates the clock of a call that no question of a handshake revision stops. */
  CallClock() {
    this(ConcurrentHashMap.newKeySet());
  }

  /**
   * Creates the clock of a call.
   *
   * @param running the concurrent set that contains this clock while one of its timers runs
   */
  CallClock(Set<CallClock> running) {
    this(running, System::nanoTime, LONGEST);
  }

  /**
   * Creates a clock with another time.
   *
   * @param system the time of the system, in nanoseconds
   * @param longest the longest time to stand still
   */
  CallClock(Set<CallClock> running, LongSupplier system, Duration longest) {
    this.running = running;
    this.system = system;
    this.longest = longest.toNanos();
  }

  /** Returns the time of this clock, in nanoseconds since an arbitrary start. */
  synchronized long nanoTime() {
    long now = system.getAsLong();
    return now - Math.min(longest, still(now));
  }

  private long still(long now) {
    return asking > 0 ? still + (now - stopped) : still;
  }

  /** Returns a future that ends when the clock runs. */
  synchronized CompletableFuture<@Nullable Void> running() {
    long rest = longest - still(system.getAsLong());
    return asking == 0 || rest <= 0
        ? CompletableFuture.completedFuture(null)
        : answered.copy().completeOnTimeout(null, rest, TimeUnit.NANOSECONDS);
  }

  /** Counts a timer that waits for a time of this clock. */
  synchronized void startTimer() {
    if (timers++ == 0) {
      running.add(this);
    }
  }

  /** Counts the end of a timer. */
  synchronized void stopTimer() {
    if (--timers == 0) {
      running.remove(this);
    }
  }

  /** Stops clocks while a question is answered. */
  static <T> T whileAsking(Collection<CallClock> clocks, Supplier<T> question) {
    List<CallClock> present = List.copyOf(clocks);
    present.forEach(CallClock::begin);
    try {
      return question.get();
    } finally {
      present.forEach(CallClock::end);
    }
  }

  private synchronized void begin() {
    if (asking++ == 0) {
      stopped = system.getAsLong();
      answered = new CompletableFuture<>();
    }
  }

  private void end() {
    CompletableFuture<@Nullable Void> waiting;
    synchronized (this) {
      if (asking > 1) {
        asking--;
        return;
      }
      still = still(system.getAsLong());
      asking = 0;
      waiting = answered;
    }
    waiting.complete(null);
  }
}
