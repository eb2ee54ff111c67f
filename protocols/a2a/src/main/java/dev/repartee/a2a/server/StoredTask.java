package dev.repartee.a2a.server;

import dev.repartee.a2a.types.Task;
import org.jspecify.annotations.Nullable;

/**
 * A task in a {@link TaskStore}.
 *
 * @param task the task
 * @param owner the name of the client that began it; null without authentication
 * @param version the number of times that the task was saved; 0 if it was not saved yet
 */
public record StoredTask(Task task, @Nullable String owner, long version) {}
