package dev.repartee.mcp;

import dev.repartee.RpcException;
import dev.repartee.access.Principal;
import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.mcp.wire.Errors;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of a server, each until its lifetime has passed. Thread-safe. The lock of this object
 * guards the tasks. While it is held, only the final fields of a task are read.
 */
final class TaskStore {
  /**
   * The memory budget for the results of all tasks of the process. Results are kept until a client
   * fetches them. Answers are sent immediately and have a separate budget.
   */
  static final MemoryBudget RESULTS = MemoryBudget.of(MemoryBudget.ofAnswers().max() / 4);

  private static final Duration SHORTEST_WATCH = Duration.ofMillis(1);

  private final McpServer server;

  /** The tasks by their ids, oldest first; guarded by this. */
  private final Map<String, Task> tasks = new LinkedHashMap<>();

  /**
   * The number of running handlers, including those of tasks that have ended or were deleted;
   * guarded by this.
   */
  private int running;

  /** True if a check for expired tasks is scheduled; guarded by this. */
  private boolean watched;

  TaskStore(McpServer server) {
    this.server = server;
  }

  McpServer server() {
    return server;
  }

  Instant now() {
    return server.settings().clock().instant().truncatedTo(ChronoUnit.MILLIS);
  }

  /**
   * Creates a task. Its handler counts as running until {@link #ended} or {@link #drop}.
   *
   * @param tool the tool that was called
   * @param stop cancels the handler
   * @throws RpcException -31000 if there are too many tasks or too many running handlers
   */
  Task create(Tool tool, @Nullable Principal principal, Runnable stop) {
    forgetOld();
    Task task = new Task(this, tool, principal, stop);
    int most = server.settings().maxTasks();
    int mostRunning = server.settings().options().limits().runningCalls();
    synchronized (this) {
      if (tasks.size() >= most) {
        throw new RpcException(Errors.busy("tasks", most));
      } else if (running >= mostRunning) {
        throw new RpcException(Errors.busy("runningTasks", mostRunning));
      }
      running++;
      tasks.put(task.id(), task);
      if (!watched) {
        watched = true;
        watch(server.settings().taskTime());
      }
    }
    return task;
  }

  /** Reports that the handler of a task has ended. */
  synchronized void ended() {
    running--;
  }

  /** Deletes a task whose handle was not sent. */
  synchronized void drop(Task task) {
    tasks.remove(task.id());
    running--;
  }

  /** Returns the task of that id if it belongs to the principal, null otherwise. */
  @Nullable Task find(String id, @Nullable Principal principal) {
    forgetOld();
    synchronized (this) {
      Task task = tasks.get(id);
      return task != null && task.isOf(principal) ? task : null;
    }
  }

  private void forgetOld() {
    Instant oldest = now().minus(server.settings().taskTime());
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

  // ---------------------------------------------------------------- expiry

  /**
   * Schedules a check for expired tasks. The timer has a weak reference, so that it does not keep
   * an unused server in memory.
   */
  private void watch(Duration time) {
    WeakReference<TaskStore> store = new WeakReference<>(this);
    Clock.SYSTEM.schedule(time, Threads.CALLS, () -> {
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
        Duration left = Duration.between(
            now(), oldest.next().createdAt().plus(server.settings().taskTime()));
        watch(left.compareTo(SHORTEST_WATCH) < 0 ? SHORTEST_WATCH : left);
      }
    }
  }
}
