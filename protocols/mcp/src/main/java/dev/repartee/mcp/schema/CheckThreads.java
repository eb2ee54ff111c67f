package dev.repartee.mcp.schema;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Threads that check results against schemas. A check computes for up to 30 seconds, so it must not
 * run on a thread that reads connections, nor on a virtual thread, whose carrier it would occupy.
 *
 * <p>There are as many threads as processors, at least two. More results wait in a queue, at most
 * one for each running call. Idle threads end.
 */
public final class CheckThreads implements Executor {
  private final ThreadPoolExecutor pool;

  public CheckThreads() {
    int threads = Math.max(2, Runtime.getRuntime().availableProcessors());
    pool = new ThreadPoolExecutor(
        threads, threads, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
          Thread thread = new Thread(task, "repartee-mcp-check");
          thread.setDaemon(true);
          return thread;
        });
    pool.allowCoreThreadTimeOut(true);
  }

  @Override
  public void execute(Runnable check) {
    pool.execute(check);
  }
}
