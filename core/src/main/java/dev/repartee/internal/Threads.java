package dev.repartee.internal;

import java.lang.reflect.InvocationTargetException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes the threads of the toolkit. All are daemons, which do not keep the process alive. Those of
 * a pool are numbered, and end after 10 seconds without a task. The only class that depends on the
 * version of Java.
 */
public final class Threads {
  private static final int IDLE_SECONDS = 10;
  private static final String CALL = "repartee-call";
  private static final long RETIRE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * Runs handlers, which may block. The executor has no limit: a handler may wait for a call back
   * to the peer, which needs another thread. Running calls are limited for each connection, by
   * {@code Limits.runningCalls}.
   */
  public static final Executor CALLS = perTask(CALL);

  private Threads() {}

  /**
   * Lets idle threads end now, and from now on when they become idle. Called when the application
   * that has loaded this class is removed from its process: a thread would keep the class loader in
   * memory. Tasks and time limits that come later still get threads.
   *
   * <p>Waits up to a second for the end of the threads, because containers report the threads that
   * they find immediately afterwards.
   */
  public static void retire() {
    if (CALLS instanceof ThreadPoolExecutor pool) {
      pool.setKeepAliveTime(0, TimeUnit.SECONDS); // interrupts the idle threads
    }
    Sweeper.INSTANCE.retire();
    long until = System.nanoTime() + RETIRE_NANOS;
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (isRetiring(thread)) {
        join(thread, until - System.nanoTime());
      }
    }
  }

  private static boolean isRetiring(Thread thread) {
    return thread.getContextClassLoader() == Threads.class.getClassLoader()
        && (thread.getName().startsWith(CALL) || thread.getName().equals(Sweeper.NAME))
        && thread != Thread.currentThread();
  }

  private static void join(Thread thread, long nanos) {
    try {
      TimeUnit.NANOSECONDS.timedJoin(thread, nanos); // returns if none are left
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns a daemon thread that is not started. */
  public static Thread daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Starts a daemon thread. If no thread can be started now, it is started later: often nothing
   * else would end what the task ends, such as a connection.
   */
  public static void start(String name, Runnable task) {
    start(started -> daemon(name, started).start(), task);
  }

  /**
   * Starts a thread like {@link #start(String, Runnable)}.
   *
   * @param threads starts a thread for each task
   */
  public static void start(Executor threads, Runnable task) {
    try {
      threads.execute(task);
    } catch (Error e) { // such as "unable to create native thread"
      Clock.SYSTEM.schedule(Duration.ZERO, threads, task); // which tries it until then
    }
  }

  /**
   * Returns an executor that starts a virtual thread for each task on Java 21 and later, and a
   * {@link #growing} pool on earlier versions.
   */
  public static Executor perTask(String name) {
    try {
      return (Executor)
          Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
      return growing(name);
    }
  }

  /** Returns a pool that grows with the number of running tasks, without a limit. */
  public static Executor growing(String name) {
    return growing(numbered(name));
  }

  /** Returns a pool with threads of a factory that grows like {@link #growing(String)}. */
  public static Executor growing(ThreadFactory factory) {
    return new ThreadPoolExecutor(
        0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), factory);
  }

  /** Returns a pool with a limit of threads; more tasks wait, without a limit. */
  public static Executor bounded(int threads, String name) {
    return bounded(threads, Integer.MAX_VALUE, numbered(name));
  }

  /**
   * Returns a pool with a limit of threads and of waiting tasks. A task above both is rejected with
   * a {@link java.util.concurrent.RejectedExecutionException}.
   */
  public static Executor bounded(int threads, int waiting, ThreadFactory factory) {
    ThreadPoolExecutor pool = new ThreadPoolExecutor(
        threads,
        threads,
        IDLE_SECONDS,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(waiting),
        factory);
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /** Returns a factory of daemon threads. */
  public static ThreadFactory numbered(String name) {
    AtomicLong number = new AtomicLong();
    return task -> daemon(name + "-" + number.incrementAndGet(), task);
  }
}
