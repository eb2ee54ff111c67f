package dev.repartee.a2a.push;

import dev.repartee.a2a.types.TaskPushNotificationConfig;

/**
 * An address for push notifications in a {@link PushConfigStore}.
 *
 * @param taskId the task
 * @param id the id, unique within the task
 * @param config the address with its credentials
 * @param protocolVersion the version of the client, and so of its notifications: {@code 1.0} or
 *     {@code 0.3}
 */
public record StoredPushConfig(
    String taskId, String id, TaskPushNotificationConfig config, String protocolVersion) {}
