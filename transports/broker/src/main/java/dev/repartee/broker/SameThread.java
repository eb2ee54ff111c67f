package dev.repartee.broker;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Runs tasks immediately on the calling thread. For client libraries that require an executor for
 * their callbacks: no other thread has to wake up, and callbacks keep the order of their causes.
 * The tasks must not block. It has no threads and cannot be shut down.
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
