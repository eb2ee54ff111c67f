package dev.repartee.a2a.delivery;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Runs actions of clients that may block, to resolve a name for example. The actions of one client
 * use a quarter of the threads at most. The number of actions is bounded by {@link PushQueues}.
 * Thread-safe.
 */
final class FairWorkers {
  private static final int THREADS = 8;
  private static final int MOST_OF_CLIENT = THREADS / 4;

  /** The waiting actions of a client. */
  private static final class Line {
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private int running;
  }

  private final ThreadPoolExecutor pool = new ThreadPoolExecutor(
      THREADS, THREADS, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
        Thread thread = new Thread(task, "repartee-a2a-push");
        thread.setDaemon(true);
        return thread;
      });

  /** The clients with running actions; guarded by this. */
  private final Map<String, Line> lines = new HashMap<>();

  FairWorkers() {
    pool.allowCoreThreadTimeOut(true);
  }

  /** Returns the threads, for actions that do not block. */
  Executor threads() {
    return pool;
  }

  /** Runs an action of a client, after the earlier ones of this client have begun. */
  void execute(String client, Runnable action) {
    synchronized (this) {
      Line line = lines.computeIfAbsent(client, name -> new Line());
      if (line.running == MOST_OF_CLIENT) {
        line.waiting.add(action);
        return;
      }
      line.running++;
    }
    start(client, action);
  }

  private void start(String client, Runnable action) {
    pool.execute(() -> {
      try {
        action.run();
      } finally {
        next(client);
      }
    });
  }

  private void next(String client) {
    Runnable following;
    synchronized (this) {
      Line line = Objects.requireNonNull(lines.get(client));
      following = line.waiting.poll();
      if (following == null && --line.running == 0) {
        lines.remove(client);
      }
    }
    if (following != null) {
      start(client, following);
    }
  }
}
