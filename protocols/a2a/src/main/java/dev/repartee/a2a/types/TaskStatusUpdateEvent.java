package dev.repartee.a2a.types;

import dev.repartee.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * A change of the status of a task (section 4.2.1).
 *
 * @param taskId the task
 * @param contextId its conversation; null if the peer has none
 * @param status the new status
 * @param metadata a JSON object; null for none
 */
public record TaskStatusUpdateEvent(
    String taskId,
    @Nullable String contextId,
    TaskStatus status,
    @Nullable Json metadata) implements StreamResponse {}
