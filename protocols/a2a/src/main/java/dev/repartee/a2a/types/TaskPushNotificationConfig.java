package dev.repartee.a2a.types;

import org.jspecify.annotations.Nullable;

/**
 * The address to which an agent sends the events of a task (section 4.3.1).
 *
 * @param tenant the tenant of the request; null for none
 * @param id the id, unique within the task; null to let the server create one
 * @param taskId the task; null in the configuration of a new message
 * @param url an HTTP address
 * @param token a secret that the agent sends with each notification; null for none
 * @param authentication the credentials for the address; null for none
 */
public record TaskPushNotificationConfig(
    @Nullable String tenant,
    @Nullable String id,
    @Nullable String taskId,
    String url,
    @Nullable String token,
    @Nullable AuthenticationInfo authentication) {
  /** Returns a configuration with the address alone. */
  public static TaskPushNotificationConfig to(String url) {
    return new TaskPushNotificationConfig(null, null, null, url, null, null);
  }

  /** Returns this configuration with a token. */
  public TaskPushNotificationConfig withToken(String token) {
    return new TaskPushNotificationConfig(tenant, id, taskId, url, token, authentication);
  }

  /** Returns this configuration for a task, under an id. */
  public TaskPushNotificationConfig of(String taskId, @Nullable String id) {
    return new TaskPushNotificationConfig(tenant, id, taskId, url, token, authentication);
  }

  /** Returns ids and address without the secrets. */
  @Override
  public String toString() {
    return "TaskPushNotificationConfig[" + taskId + ", " + id + ", " + url + "]";
  }
}
