package dev.repartee.xmpp;

import dev.repartee.broker.BrokerThread;
import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The threads of this module that do not belong to a connection. */
final class Threads {
  private static final ExecutorService POOL =
      Executors.newCachedThreadPool(BrokerThread.factory("repartee-xmpp-worker"));
  private static final ScheduledThreadPoolExecutor TIMER =
      new ScheduledThreadPoolExecutor(1, BrokerThread.factory("repartee-xmpp-timer"));

  static {
    TIMER.setRemoveOnCancelPolicy(true);
  }

  private Threads() {}

  /** A task that may fail because the connection has ended, which is reported elsewhere. */
  @FunctionalInterface
  interface Task {
    /** Runs the task. */
    void run() throws IOException;
  }

  /** Runs a task that may block. */
  static void run(Task task) {
    POOL.execute(() -> {
      try {
        task.run();
      } catch (IOException e) {
        // The end of the connection is reported as a separate event.
      }
    });
  }

  /** Runs a task that may block after a delay, unless the future is cancelled before. */
  static Future<?> runAfter(long nanos, Task task) {
    return TIMER.schedule(() -> run(task), nanos, TimeUnit.NANOSECONDS);
  }

  /** Runs a short task repeatedly. */
  static Future<?> repeat(long nanos, Runnable task) {
    return TIMER.scheduleWithFixedDelay(task, nanos, nanos, TimeUnit.NANOSECONDS);
  }
}
