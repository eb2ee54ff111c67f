package dev.repartee.mcp;

import dev.repartee.RpcException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of a server, each until its time has passed. Thread-safe; nothing is called while its lock
 * is held.
 */
final class TaskStore {
  private final McpServer server;

  /** By their ids, the oldest first; guarded by this. */
  private final Map<String, Task> tasks = new LinkedHashMap<>();

  /** How many handlers run, also of tasks that have ended or are forgotten; guarded by this. */
  private int running;

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
   * @param stop asks the handler to end
   * @throws RpcException -31000 if there are too many
   */
  Task create(@Nullable Principal principal, Runnable stop) {
    forgetOld();
    Task task = new Task(this, principal, stop);
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
}
