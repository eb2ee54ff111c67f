package dev.repartee.mcp.client;

import dev.repartee.internal.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Measures the time of one call. The clock stops while a handler of the client answers a question
 * that may belong to the call, because a user may need minutes and the server waits for the answer.
 * In the stateless revision a question belongs to one call. In the handshake revisions a question
 * does not name a call; it stops the clocks of all calls that run when it arrives. The total
 * stopped time of a clock is limited, in case the user never answers.
 *
 * <p>Thread-safe. The monitor guards all fields. No callback runs while it is held.
 */
final class CallClock {
  /** The maximum total time for which a clock stops. */
  private static final Duration LONGEST = Duration.ofHours(1);

  private final Clock system;
  private final long longest;

  /** The clocks with a running timer. */
  private final Set<CallClock> running;

  private int timers;
  private int asking;

  /** The system time at which the clock stopped. */
  private long stopped;

  /** The total duration of earlier questions, in nanoseconds; it may exceed {@code longest}. */
  private long still;

  private CompletableFuture<@Nullable Void> answered = CompletableFuture.completedFuture(null);

  /** Creates a clock that questions of a handshake revision do not stop. */
  CallClock(Clock system) {
    this(ConcurrentHashMap.newKeySet(), system);
  }

  /**
   * Creates the clock of a call.
   *
   * @param running the concurrent set that contains this clock while one of its timers runs
   */
  CallClock(Set<CallClock> running, Clock system) {
    this(running, system, LONGEST);
  }

  /**
   * Creates a clock with a given system clock.
   *
   * @param longest the maximum total time for which the clock stops
   */
  CallClock(Set<CallClock> running, Clock system, Duration longest) {
    this.running = running;
    this.system = system;
    this.longest = longest.toNanos();
  }

  /** Returns the time of this clock, in nanoseconds since an arbitrary start. */
  synchronized long nanoTime() {
    long now = system.nanos();
    return now - Math.min(longest, still(now));
  }

  private long still(long now) {
    return asking > 0 ? still + (now - stopped) : still;
  }

  /** Returns a future that completes when the clock runs. */
  synchronized CompletableFuture<@Nullable Void> running() {
    long rest = longest - still(system.nanos());
    if (asking == 0 || rest <= 0) {
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<@Nullable Void> runs = answered.copy();
    Clock.Timer timer = schedule(rest, () -> runs.complete(null));
    runs.whenComplete((nothing, failure) -> timer.cancel());
    return runs;
  }

  /** Runs a step on a worker after a time of the system, unless the timer is cancelled before. */
  Clock.Timer schedule(long nanos, Runnable step) {
    return system.schedule(Duration.ofNanos(nanos), Futures.WORKERS, step);
  }

  /** Registers a timer that waits for a time of this clock. */
  synchronized void startTimer() {
    if (timers++ == 0) {
      running.add(this);
    }
  }

  /** Removes a timer. */
  synchronized void stopTimer() {
    if (--timers == 0) {
      running.remove(this);
    }
  }

  /** Answers a question while clocks are stopped. */
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
      stopped = system.nanos();
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
      still = still(system.nanos());
      asking = 0;
      waiting = answered;
    }
    waiting.complete(null);
  }
}
