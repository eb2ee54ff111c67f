package dev.repartee.a2a.server;

import dev.repartee.a2a.types.TaskStatusUpdateEvent;
import dev.repartee.internal.Threads;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The tasks that this server works on, or that have subscribers on this server. Other tasks are
 * only in the {@link TaskStore}. Thread-safe.
 */
final class LiveTasks {
  private final ConcurrentHashMap<String, Entry> tasks = new ConcurrentHashMap<>();
  private final TaskStore store;

  /** A task with the number of its users, which changes only in atomic operations of the map. */
  private record Entry(LiveTask task, int users) {}

  LiveTasks(TaskStore store) {
    this.store = store;
    store.onEnd(this::ended);
  }

  /**
   * Sends the last event of a task that the store has ended to its subscribers. Uses another
   * thread, because the caller may hold the lock of another task and this task has to be locked.
   */
  private void ended(TaskStatusUpdateEvent last) {
    Entry entry = tasks.get(last.taskId());
    if (entry != null) {
      Threads.start(Threads.CALLS, () -> entry.task.tell(last));
    }
  }

  /** Returns the task with an id. The task is in use until {@link #release}. */
  LiveTask use(String id) {
    Entry entry = tasks.compute(
        id,
        (key, known) -> known == null
            ? new Entry(new LiveTask(key, store), 1)
            : new Entry(known.task, known.users + 1));
    return entry.task;
  }

  /** Ends one use of the task. */
  void release(LiveTask task) {
    tasks.computeIfPresent(
        task.id(),
        (key, known) -> known.users == 1 ? null : new Entry(known.task, known.users - 1));
  }

  /**
   * Returns the current state of a task, or null if the task does not exist. If a turn on this
   * server works on the task, and no other server has changed it, returns the state of the turn.
   * Otherwise reads the state from the store.
   */
  @Nullable StoredTask find(String id) {
    Entry entry = tasks.get(id);
    StoredTask live = entry == null ? null : entry.task.running();
    StoredTask saved = store.find(id);
    return live == null || saved == null || saved.version() > live.version() ? saved : live;
  }

  /** Ends the streams of tasks that wait for their clients, because the server closes. */
  void closing() {
    tasks.values().forEach(entry -> entry.task.closing());
  }
}
