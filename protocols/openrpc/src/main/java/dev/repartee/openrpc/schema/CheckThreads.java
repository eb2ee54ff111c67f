package dev.repartee.openrpc.schema;

import dev.repartee.internal.Threads;
import java.util.concurrent.Executor;

/**
 * Threads that check results against schemas. A check computes for up to 30 seconds. It must not
 * run on a thread that reads connections, nor on a virtual thread, because it would occupy the
 * carrier thread.
 *
 * <p>The number of threads is the number of processors, at least two. Further results wait in a
 * queue, at most one for each running call. Idle threads end.
 */
public final class CheckThreads implements Executor {
  private final Executor pool = Threads.bounded(
      Math.max(2, Runtime.getRuntime().availableProcessors()), "repartee-schema-check");

  @Override
  public void execute(Runnable check) {
    pool.execute(check);
  }
}
