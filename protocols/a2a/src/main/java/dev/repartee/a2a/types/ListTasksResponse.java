package dev.repartee.a2a.types;

import java.util.List;

/**
 * A page of tasks, the latest status first (section 3.1.4).
 *
 * @param tasks the tasks of this page
 * @param nextPageToken the token for the next page; empty on the last one
 * @param pageSize the maximum number of tasks of a page
 * @param totalSize the number of tasks on all pages
 */
public record ListTasksResponse(
    List<Task> tasks, String nextPageToken, int pageSize, int totalSize) {
  /** Copies the list. */
  public ListTasksResponse {
    tasks = List.copyOf(tasks);
  }
}
