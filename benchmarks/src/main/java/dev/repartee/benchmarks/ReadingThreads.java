package dev.repartee.benchmarks;

import dev.repartee.ReadingThread;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * What JMH runs benchmarks on: threads such as those that read channels, since it is on these that
 * frames are decoded and inline handlers run, and that what this takes is used again.
 */
public final class ReadingThreads extends ThreadPoolExecutor {
  /** JMH wants exactly this constructor. */
  public ReadingThreads(int threads, String name) {
    super(threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Reading::new);
  }

  /** Has JMH use them. */
  static String[] jvmArgs() {
    return new String[] {
      "-Djmh.executor=CUSTOM", "-Djmh.executor.class=" + ReadingThreads.class.getName()
    };
  }

  private static final class Reading extends Thread implements ReadingThread {
    Reading(Runnable task) {
      super(task, "reading");
      setDaemon(true);
    }
  }
}
