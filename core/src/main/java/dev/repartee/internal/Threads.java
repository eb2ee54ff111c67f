package dev.repartee.internal;

import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The executor for handlers that may block. The only class that depends on the version of Java. */
public final class Threads {
  /**
   * A new virtual thread for each call on Java 21 and later; on earlier versions a pool that grows
   * with the number of calls. The executor has no limit: a handler may wait for a call back to the
   * peer, which needs another thread. The limit of running calls is that of each connection, {@code
   * Limits.runningCalls}.
   */
  public static final Executor CALLS = calls();

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
