package dev.repartee.a2a.types;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The status of a task (section 4.1.2).
 *
 * @param state the state
 * @param message the message of the agent about it; null for none
 * @param timestamp the time of the change; null if it is not known
 */
public record TaskStatus(
    TaskState state, @Nullable Message message, @Nullable Instant timestamp) {}
