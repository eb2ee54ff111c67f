package dev.repartee.a2a.push;

import dev.repartee.a2a.types.TaskPushNotificationConfig;
import org.jspecify.annotations.Nullable;

/**
 * An address for push notifications in a {@link PushConfigStore}.
 *
 * @param taskId the task
 * @param id the id, unique within the task
 * @param config the address with its credentials
 * @param protocolVersion the version of the client and of its notifications: {@code 1.0} or {@code
 *     0.3}
 * @param client the client to whose share of the store the address counts, as {@link
 *     dev.repartee.limits.ClientShares#client} names it; null if it is not known. A store without
 *     shares need not keep it
 */
public record StoredPushConfig(
    String taskId,
    String id,
    TaskPushNotificationConfig config,
    String protocolVersion,
    @Nullable String client) {
  /** Creates a stored address without the client to whose share it counts. */
  public StoredPushConfig(
      String taskId, String id, TaskPushNotificationConfig config, String protocolVersion) {
    this(taskId, id, config, protocolVersion, null);
  }
}
