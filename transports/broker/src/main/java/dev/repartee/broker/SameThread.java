package dev.repartee.broker;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Runs tasks at once on the calling thread. For client libraries that demand an executor for their
 * callbacks: no other thread has to wake up, and callbacks keep the order of their causes. The
 * tasks must not block. It has no threads, so nothing ends it.
 */
public final class SameThread extends AbstractExecutorService {
  /** Creates the executor. */
  public SameThread() {}

  @Override
  public void execute(Runnable task) {
    task.run();
  }

  @Override
  public void shutdown() {}

  @Override
  public List<Runnable> shutdownNow() {
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return false;
  }

  @Override
  public boolean isTerminated() {
    return false;
  }

  @Override
  public boolean awaitTermination(long time, TimeUnit unit) {
    return true;
  }
}
