package dev.repartee.a2a.types;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A request for tasks (section 3.1.4).
 *
 * @param tenant the tenant that the agent card names; null for none
 * @param contextId only tasks of this conversation; null for all
 * @param status only tasks in this state; null for all
 * @param pageSize the maximum number of tasks in the answer, 1 to 100; null for 50
 * @param pageToken {@link ListTasksResponse#nextPageToken} of the page before; null for the first
 * @param historyLength the maximum number of messages in each history; null for all
 * @param statusTimestampAfter only tasks with a status since this time; null for all
 * @param includeArtifacts whether the tasks have their artifacts
 */
public record ListTasksRequest(
    @Nullable String tenant,
    @Nullable String contextId,
    @Nullable TaskState status,
    @Nullable Integer pageSize,
    @Nullable String pageToken,
    @Nullable Integer historyLength,
    @Nullable Instant statusTimestampAfter,
    boolean includeArtifacts) {
  /** Requests all tasks. */
  public static final ListTasksRequest ALL =
      new ListTasksRequest(null, null, null, null, null, null, null, false);

  /** Returns this request for one conversation. */
  public ListTasksRequest inContext(String contextId) {
    return new ListTasksRequest(
        tenant,
        contextId,
        status,
        pageSize,
        pageToken,
        historyLength,
        statusTimestampAfter,
        includeArtifacts);
  }

  /** Returns this request for a page. */
  public ListTasksRequest page(int pageSize, @Nullable String pageToken) {
    return new ListTasksRequest(
        tenant,
        contextId,
        status,
        pageSize,
        pageToken,
        historyLength,
        statusTimestampAfter,
        includeArtifacts);
  }
}
