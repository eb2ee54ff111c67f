package dev.repartee.a2a.delivery;

import dev.repartee.a2a.push.StoredPushConfig;
import dev.repartee.a2a.types.TaskPushNotificationConfig;
import dev.repartee.a2a.types.TaskStatus;
import java.net.URI;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A queued notification.
 *
 * @param id the id in the shares of the queue
 * @param key the address of one task; notifications with the same key are sent in order
 * @param host the host and port of the address
 * @param client the client of the task, as {@link dev.repartee.limits.ClientShares#client} names it
 * @param status the status of the task in the body, or null
 */
record Notice(
    String id,
    String key,
    String host,
    String client,
    String taskId,
    TaskPushNotificationConfig config,
    @Nullable TaskStatus status,
    byte[] body,
    String type) {
  static Notice of(
      StoredPushConfig to, String client, @Nullable TaskStatus status, byte[] body, String type) {
    return new Notice(
        UUID.randomUUID().toString(),
        to.taskId() + " " + to.id(),
        host(to.config().url()),
        client,
        to.taskId(),
        to.config(),
        status,
        body,
        type);
  }

  /**
   * Returns host and port. Returns the whole text if it is not a URI; {@link Targets} refuses it
   * later.
   */
  private static String host(String url) {
    try {
      URI uri = URI.create(url);
      return (uri.getHost() + ":" + uri.getPort()).toLowerCase(Locale.ROOT);
    } catch (IllegalArgumentException e) {
      return url;
    }
  }
}
