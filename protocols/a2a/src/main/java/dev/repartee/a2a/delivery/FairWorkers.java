package dev.repartee.a2a.delivery;

import dev.repartee.internal.Threads;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Runs actions of clients that may block, for example to resolve a name. Runs one action of each
 * client at a time: a client with slow names delays only its own actions. {@link PushQueues} limits
 * the number of actions. Thread-safe.
 */
final class FairWorkers {
  private static final int THREADS = 32;

  private final Executor pool = Threads.bounded(THREADS, "repartee-a2a-push");

  /** The waiting actions of each client with a running one; guarded by this. */
  private final Map<String, Queue<Runnable>> lines = new HashMap<>();

  /** Runs an action of a client after the earlier actions of this client. */
  void execute(String client, Runnable action) {
    synchronized (this) {
      Queue<Runnable> line = lines.get(client);
      if (line != null) {
        line.add(action);
        return;
      }
      lines.put(client, new ArrayDeque<>());
    }
    start(client, action);
  }

  private void start(String client, Runnable action) {
    pool.execute(() -> {
      try {
        action.run();
      } finally {
        Runnable following = next(client);
        if (following != null) {
          start(client, following);
        }
      }
    });
  }

  private synchronized @Nullable Runnable next(String client) {
    Runnable following = Objects.requireNonNull(lines.get(client)).poll();
    if (following == null) {
      lines.remove(client);
    }
    return following;
  }
}
