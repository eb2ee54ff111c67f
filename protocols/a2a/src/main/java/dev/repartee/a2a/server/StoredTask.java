package dev.repartee.a2a.server;

import dev.repartee.a2a.types.Task;
import org.jspecify.annotations.Nullable;

/**
 * A task in a {@link TaskStore}.
 *
 * @param task the task
 * @param owner the name of the client that began it; null without authentication
 * @param client the client to whose share of the store the task counts, as {@link
 *     dev.repartee.limits.ClientShares#client} names it; null if it is not known. A store without
 *     shares need not keep it
 * @param version the number of times that the task was saved, from 0
 */
public record StoredTask(
    Task task, @Nullable String owner, @Nullable String client, long version) {
  /** Creates a stored task without the client to whose share it counts. */
  public StoredTask(Task task, @Nullable String owner, long version) {
    this(task, owner, null, version);
  }

  /** Returns the client to whose share the task counts, or the owner if the client is not known. */
  String share() {
    return client != null ? client : owner != null ? owner : "";
  }

  /** Returns this version of the task with other content. */
  StoredTask with(Task changed) {
    return new StoredTask(changed, owner, client, version);
  }

  /** Returns the task with the version that it has after a save. */
  StoredTask saved() {
    return new StoredTask(task, owner, client, version + 1);
  }
}
