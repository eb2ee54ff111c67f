package dev.repartee.a2a.types;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The options of a client for the answer to its message (section 3.2.2).
 *
 * @param acceptedOutputModes the media types that the client accepts; empty for all
 * @param taskPushNotificationConfig the address for push notifications; null for none
 * @param historyLength the maximum number of messages in the history; null for all
 * @param returnImmediately whether the answer does not wait for the end of the task
 */
public record SendMessageConfiguration(
    List<String> acceptedOutputModes,
    @Nullable TaskPushNotificationConfig taskPushNotificationConfig,
    @Nullable Integer historyLength,
    boolean returnImmediately) {
  /** The defaults. */
  public static final SendMessageConfiguration NONE =
      new SendMessageConfiguration(List.of(), null, null, false);

  /** Copies the list. */
  public SendMessageConfiguration {
    acceptedOutputModes = List.copyOf(acceptedOutputModes);
  }

  /** Returns these options with an answer that does not wait for the end of the task. */
  public SendMessageConfiguration immediately() {
    return new SendMessageConfiguration(
        acceptedOutputModes, taskPushNotificationConfig, historyLength, true);
  }

  /** Returns these options with an address for push notifications. */
  public SendMessageConfiguration notifying(TaskPushNotificationConfig to) {
    return new SendMessageConfiguration(acceptedOutputModes, to, historyLength, returnImmediately);
  }
}
