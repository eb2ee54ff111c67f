package dev.repartee;

import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Where handlers that may block run: the one place that knows which Java this is. */
final class Threads {
  /**
   * A virtual thread for each call from Java 21 on; below, a pool that grows as calls do. It has no
   * bound of its own, since a handler may wait for a call-back that needs another thread: what runs
   * is bounded for each connection, by {@link Limits#runningCalls}.
   */
  static final Executor CALLS = calls();

  private Threads() {}

  private static Executor calls() {
    try {
      return (Executor)
          Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
      return pool();
    }
  }

  private static Executor pool() {
    AtomicLong number = new AtomicLong();
    return new ThreadPoolExecutor(
        0, Integer.MAX_VALUE, 30, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
          Thread thread = new Thread(task, "repartee-call-" + number.incrementAndGet());
          thread.setDaemon(true);
          return thread;
        });
  }
}
