package dev.repartee.benchmarks.micro;

import dev.repartee.transport.ReadingThread;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The executor for JMH: its threads are marked like the readers of channels. Readers decode frames,
 * run inline handlers and keep the objects for reuse that this needs.
 */
public final class ReadingThreads extends ThreadPoolExecutor {
  /** Makes the executor; JMH requires this signature. */
  public ReadingThreads(int threads, String name) {
    super(threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Reading::new);
  }

  /** Returns the JVM arguments that make JMH use this executor. */
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
