package dev.repartee.a2a.server;

import dev.repartee.RpcException;
import dev.repartee.a2a.types.ListTasksResponse;
import dev.repartee.a2a.types.TaskState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the tasks of one or several servers. Several servers may share a store: a change is saved
 * only if no other server has changed the task in between. Implementations must be thread-safe.
 * They may block; a method may throw an {@link RpcException} to answer the request with that error.
 */
public interface TaskStore {
  /** The number of tasks of a page if the client does not state one (section 3.1.4). */
  int PAGE = 50;

  /** Returns the task of that id; null if there is none. */
  @Nullable StoredTask find(String id);

  /**
   * Saves a task in place of the version that it was made from.
   *
   * @param changed the task with the version that it replaces; 0 for a new task
   * @return whether the task was saved, now with a version that is greater by 1; false if the store
   *     has another version, or none where one should be replaced
   */
  boolean save(StoredTask changed);

  /**
   * Returns a page of tasks, the latest status first, with all their content.
   *
   * @throws IllegalArgumentException if the page token is not one of this store
   */
  ListTasksResponse list(Query query);

  /**
   * The tasks to list. Null means that any value fits.
   *
   * @param owner the owner; tasks of all owners if it is null
   * @param contextId the conversation
   * @param state the state
   * @param since the earliest time of the status
   * @param pageSize the greatest number of tasks of a page
   * @param pageToken the token of the page before; null for the first page
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
