package dev.repartee.agents.internal;

import dev.repartee.internal.Threads;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads of runs. From Java 21 on, each action has a virtual thread of its own; before, a pool
 * grows with the number of running actions. The orchestrator bounds that number.
 */
public final class Workers {
  /** Runs work that may block. */
  public static final Executor ALL = Threads.perTask("repartee-agents");

  /** The longest delay of the timer; a plan may contain times that overflow nanoseconds. */
  private static final Duration LONGEST_DELAY = Duration.ofDays(365);

  private static final ScheduledThreadPoolExecutor TIMER = timer();

  private Workers() {}

  /** Runs work on a worker. Fails the result if the work throws, or if no thread can be started. */
  public static void run(CompletableFuture<?> result, Runnable work) {
    try {
      ALL.execute(() -> {
        try {
          work.run();
        } catch (Throwable e) {
          result.completeExceptionally(e);
        }
      });
    } catch (Throwable e) {
      result.completeExceptionally(e);
    }
  }

  /**
   * Runs an action on a worker after a delay of 365 days at most.
   *
   * @return the timer; cancelling it releases the action at once
   */
  public static ScheduledFuture<?> after(Duration delay, Runnable action) {
    Duration bounded = delay.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : delay;
    return TIMER.schedule(() -> ALL.execute(action), bounded.toNanos(), TimeUnit.NANOSECONDS);
  }

  private static ScheduledThreadPoolExecutor timer() {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(1, work -> Threads.daemon("repartee-agents-timer", work));
    timer.setRemoveOnCancelPolicy(true);
    timer.setKeepAliveTime(10, TimeUnit.SECONDS);
    timer.allowCoreThreadTimeOut(true);
    return timer;
  }
}
