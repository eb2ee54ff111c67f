package dev.repartee.mcp.client.http;

import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import dev.repartee.transport.ReadingThread;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * The threads that all channels of the process share. These threads read answers. Code that waits
 * for an answer on one of them fails, because it could wait forever.
 */
final class HttpThreads {
  private static final int THREADS = 2;

  static final class Reader extends Thread implements ReadingThread {
    Reader(Runnable task) {
      super(task, "repartee-mcp-http");
      setDaemon(true);
    }
  }

  /** Runs the steps of all exchanges. No step blocks. */
  static final Executor READERS = Threads.bounded(THREADS, Integer.MAX_VALUE, Reader::new);

  private HttpThreads() {}

  /**
   * Runs a step on a reader thread after a time, unless the returned timer is cancelled before.
   */
  static Clock.Timer after(Duration time, Runnable step) {
    return Clock.SYSTEM.schedule(time, READERS, step);
  }
}
