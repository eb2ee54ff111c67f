package dev.repartee.a2a.server;

import dev.repartee.RpcException;
import dev.repartee.a2a.types.ListTasksResponse;
import dev.repartee.a2a.types.TaskState;
import dev.repartee.a2a.types.TaskStatusUpdateEvent;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the tasks of one or several servers. Several servers may share a store: a change is saved
 * only if no other server has changed the task in between. Implementations must be thread-safe, and
 * may block. A method may throw an {@link RpcException}; the request is then answered with this
 * error.
 */
public interface TaskStore {
  /** The default number of tasks of a page (section 3.1.4). */
  int PAGE = 50;

  /** Returns the task with an id, or null. */
  @Nullable StoredTask find(String id);

  /**
   * Saves a changed task, if the store still has the version that was changed.
   *
   * @param changed the task with the version that it replaces; 0 for a new task
   * @return true if the task was saved; its version is then greater by 1. False if the store has
   *     another version or does not have the task
   */
  boolean save(StoredTask changed);

  /**
   * Returns a page of tasks, the latest status first, with all their content.
   *
   * @throws IllegalArgumentException if the page token is not valid for this store
   */
  ListTasksResponse list(Query query);

  /**
   * Adds a listener for tasks that the store ends itself. The listener receives the last event of
   * each of these tasks, on any thread, and must not block. By default a store does not end tasks,
   * and this method does nothing.
   */
  default void onEnd(Consumer<TaskStatusUpdateEvent> listener) {}

  /**
   * The filter and the page of a list. Null matches any value.
   *
   * @param owner the owner
   * @param contextId the conversation
   * @param state the state
   * @param since the earliest time of the status
   * @param pageSize the maximum number of tasks of a page
   * @param pageToken the token of the previous page; null for the first page
   */
  record Query(
      @Nullable String owner,
      @Nullable String contextId,
      @Nullable TaskState state,
      @Nullable Instant since,
      int pageSize,
      @Nullable String pageToken) {
    /** Returns whether a task belongs to the list. */
    public boolean matches(StoredTask stored) {
      Instant time = stored.task().status().timestamp();
      return (owner == null || owner.equals(stored.owner()))
          && (contextId == null || contextId.equals(stored.task().contextId()))
          && (state == null || state == stored.task().state())
          && (since == null || time != null && !time.isBefore(since));
    }
  }
}
