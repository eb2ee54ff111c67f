package dev.repartee.xmpp;

import dev.repartee.broker.BrokerThread;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/** The threads of this module that do not belong to a connection. */
final class Threads {
  /** Runs tasks that may block. */
  static final Executor POOL =
      Executors.newCachedThreadPool(BrokerThread.factory("repartee-xmpp-worker"));

  private Threads() {}

  /** A task that may fail because the connection has ended, which is reported elsewhere. */
  @FunctionalInterface
  interface Task {
    /** Runs the task. */
    void run() throws IOException;
  }

  /** Runs a task that may block. */
  static void run(Task task) {
    POOL.execute(() -> {
      try {
        task.run();
      } catch (IOException e) {
        // The end of the connection is reported as a separate event.
      }
    });
  }
}
