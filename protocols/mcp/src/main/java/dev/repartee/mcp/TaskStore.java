package dev.repartee.mcp;

import dev.repartee.HeldBytes;
import dev.repartee.RpcException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of a server, each until its time has passed. Thread-safe; nothing is called while its lock
 * is held.
 */
final class TaskStore {
  /**
   * The results of the tasks of the process. They are kept until somebody asks, so they have a bound of
   * their own, and take no room from answers that leave at once.
   */
  static final HeldBytes RESULTS = HeldBytes.of(HeldBytes.ofAnswers().max() / 4);

  private static final Duration SHORTEST_WATCH = Duration.ofMillis(1);

  private final McpServer server;

  /** By their ids, the oldest first; guarded by this. */
  private final Map<String, Task> tasks = new LinkedHashMap<>();

  /** How many handlers run, also of tasks that have ended or are forgotten; guarded by this. */
  private int running;

  /** Whether a thread will look for tasks whose time has passed; guarded by this. */
  private boolean watched;

  TaskStore(McpServer server) {
    this.server = server;
  }

  McpServer server() {
    return server;
  }

  Instant now() {
    return server.clock().instant().truncatedTo(ChronoUnit.MILLIS);
  }

  /**
   * A new task, of a handler that runs until {@link #ended}.
   *
   * @param tool what was called
   * @param stop asks the handler to end
   * @throws RpcException -31000 if there are too many
   */
  Task create(Tool tool, @Nullable Principal principal, Runnable stop) {
    forgetOld();
    Task task = new Task(this, tool, principal, stop);
    int most = server.mostTasks();
    int mostRunning = server.options().limits().runningCalls();
    synchronized (this) {
      if (tasks.size() >= most) {
        throw new RpcException(McpError.busy("tasks", most));
      } else if (running >= mostRunning) {
        throw new RpcException(McpError.busy("runningTasks", mostRunning));
      }
      running++;
      tasks.put(task.id(), task);
      if (!watched) {
        watched = true;
        watch(server.taskTime());
      }
    }
    return task;
  }

  /** The handler of a task has ended. */
  synchronized void ended() {
    running--;
  }

  /** Nobody will ever hear of that task. */
  synchronized void drop(Task task) {
    tasks.remove(task.id());
    running--;
  }

  /** The task of that id, if it is that principal's; null otherwise. */
  @Nullable Task find(String id, @Nullable Principal principal) {
    forgetOld();
    synchronized (this) {
      Task task = tasks.get(id);
      return task != null && task.isOf(principal) ? task : null;
    }
  }

  private void forgetOld() {
    Instant oldest = now().minus(server.taskTime());
    List<Task> old = new ArrayList<>();
    synchronized (this) {
      Iterator<Task> all = tasks.values().iterator();
      while (all.hasNext()) {
        Task task = all.next();
        if (task.createdAt().isAfter(oldest)) {
          break;
        }
        all.remove();
        old.add(task);
      }
    }
    old.forEach(Task::forget);
  }

  // ---------------------------------------------------------------- the end of their time

  /** Has a thread look after that time; a server that nobody refers to is not kept for it. */
  private void watch(Duration time) {
    WeakReference<TaskStore> store = new WeakReference<>(this);
    CompletableFuture.delayedExecutor(time.toNanos(), TimeUnit.NANOSECONDS).execute(() -> {
      TaskStore known = store.get();
      if (known != null) {
        known.watch();
      }
    });
  }

  private void watch() {
    forgetOld();
    synchronized (this) {
      Iterator<Task> oldest = tasks.values().iterator();
      watched = oldest.hasNext();
      if (watched) {
        Duration left = Duration.between(now(), oldest.next().createdAt().plus(server.taskTime()));
        watch(left.compareTo(SHORTEST_WATCH) < 0 ? SHORTEST_WATCH : left);
      }
    }
  }
}
