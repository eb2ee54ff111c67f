package dev.repartee.mcp.client;

import dev.repartee.internal.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The deadline of one call with all its rounds: connections, repetitions, questions, the wait for a
 * task and the check of the result. If the call asks for it, each progress report moves the
 * deadline, up to a maximum time. Thread-safe.
 */
final class Deadline {
  /** The time of calls without a time-out. */
  private static final Duration ENDLESS = Duration.ofDays(1_000);

  private final CallClock clock;
  private final long begun;
  private final long limit;

  /** The maximum time; equal to {@code limit} if progress does not move the deadline. */
  private final long longest;

  private volatile long progressed;

  private Deadline(CallClock clock, Duration limit, @Nullable Duration longest) {
    this.clock = clock;
    this.begun = clock.nanoTime();
    this.progressed = begun;
    this.limit = nanos(limit);
    this.longest = longest == null ? this.limit : nanos(longest);
  }

  private static long nanos(Duration limit) {
    boolean endless = limit.isZero() || limit.compareTo(ENDLESS) > 0;
    return (endless ? ENDLESS : limit).toNanos();
  }

  /** Returns the deadline of a time-out that begins now; zero for no time-out. */
  static Deadline in(Duration limit, CallClock clock) {
    return new Deadline(clock, limit, null);
  }

  /**
   * Returns the deadline of a time-out that begins now, and again with each progress report.
   *
   * @param limit the time-out without progress; zero for none
   * @param longest the maximum time despite progress; null to ignore progress
   */
  static Deadline in(Duration limit, @Nullable Duration longest, CallClock clock) {
    return new Deadline(clock, limit, longest);
  }

  /** Returns whether progress can no longer move the deadline. */
  boolean isLongest() {
    return progressed + limit - (begun + longest) >= 0;
  }

  /** Returns the maximum time in milliseconds. */
  long longestMillis() {
    return TimeUnit.NANOSECONDS.toMillis(longest);
  }

  /** Restarts the time-out after a progress report. */
  void progressed() {
    progressed = clock.nanoTime();
  }

  /** Returns the nanoseconds until the deadline; zero or negative if it has passed. */
  long nanosLeft() {
    return Math.min(progressed + limit, begun + longest) - clock.nanoTime();
  }

  /** Returns the time until the deadline, at least one millisecond. */
  Duration left() {
    return Duration.ofNanos(Math.max(1_000_000, nanosLeft()));
  }

  /** Returns the clock of the call. */
  CallClock clock() {
    return clock;
  }

  /** Runs a step on a worker at the deadline, unless the returned timer is stopped before. */
  Timer whenPassed(Runnable step) {
    Timer timer = new Timer(step);
    clock.startTimer();
    timer.arm();
    return timer;
  }

  /** A step that runs at the deadline. A stopped timer is released as soon as its clock runs. */
  final class Timer {
    private final Runnable step;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private volatile Clock.@Nullable Timer delay;

    private Timer(Runnable step) {
      this.step = step;
    }

    private void arm() {
      Clock.Timer next = clock.schedule(Math.max(0, nanosLeft()), this::elapsed);
      delay = next;
      if (stopped.get()) {
        next.cancel();
      }
    }

    private void elapsed() {
      if (stopped.get()) {
        return;
      }
      if (nanosLeft() <= 0) {
        stop();
        step.run();
      } else {
        clock.running().thenRun(this::arm); // the deadline has moved
      }
    }

    void stop() {
      if (stopped.getAndSet(true)) {
        return;
      }
      clock.stopTimer();
      Clock.Timer next = delay;
      if (next != null) {
        next.cancel();
      }
    }
  }
}
