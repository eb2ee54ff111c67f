package dev.repartee.agents.internal;

import dev.repartee.internal.Clock;
import dev.repartee.internal.ThreadContext;
import dev.repartee.internal.Threads;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The threads of runs. From Java 21 on, each action runs on its own virtual thread. On older
 * versions, a pool grows with the number of running actions. The orchestrator limits that number.
 */
public final class Workers {
  private static final Executor THREADS = Threads.perTask("repartee-agents");

  /** Runs work that may block, in the context of the thread that submits it. */
  public static final Executor ALL =
      work -> THREADS.execute(ThreadContext.current().wrap(work));

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

  /** Runs an action on a worker after a delay, unless the returned timer is cancelled first. */
  public static Clock.Timer after(Duration delay, Runnable action) {
    return Clock.SYSTEM.schedule(delay, ALL, action);
  }
}
