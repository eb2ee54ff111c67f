package dev.repartee.agents.internal;

import java.lang.reflect.InvocationTargetException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads of runs. On Java 21 and later each piece of work has a virtual thread of its own;
 * before, a pool grows with the number of pieces that run. The orchestrator bounds that number.
 */
public final class Workers {
  /** Runs work that may block. */
  public static final Executor ALL = executor();

  private static final ScheduledThreadPoolExecutor TIMER = timer();

  private Workers() {}

  /** Runs work on a worker. The result fails if the work throws, or if no thread can be started. */
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
   * Runs an action on a worker after a time.
   *
   * @return the timer; cancelling it forgets the action at once
   */
  public static ScheduledFuture<?> after(Duration time, Runnable action) {
    long nanos =
        time.compareTo(Duration.ofDays(365)) > 0 ? Duration.ofDays(365).toNanos() : time.toNanos();
    return TIMER.schedule(() -> ALL.execute(action), nanos, TimeUnit.NANOSECONDS);
  }

  private static Executor executor() {
    try {
      return (Executor)
          Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
      return new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          10,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          daemons("repartee-agents"));
    }
  }

  private static ScheduledThreadPoolExecutor timer() {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(1, daemons("repartee-agents-timer"));
    timer.setRemoveOnCancelPolicy(true);
    timer.setKeepAliveTime(10, TimeUnit.SECONDS);
    timer.allowCoreThreadTimeOut(true);
    return timer;
  }

  private static ThreadFactory daemons(String name) {
    return work -> {
      Thread thread = new Thread(work, name);
      thread.setDaemon(true);
      return thread;
    };
  }
}
