package dev.repartee.a2a.types;

import dev.repartee.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * A message with options for its answer (section 3.2.1).
 *
 * @param tenant the tenant that the agent card names; null for none
 * @param message the message
 * @param configuration the options
 * @param metadata a JSON object; null for none
 */
public record SendMessageRequest(
    @Nullable String tenant,
    Message message,
    SendMessageConfiguration configuration,
    @Nullable Json metadata) {
  /** Returns a request with a message alone. */
  public static SendMessageRequest of(Message message) {
    return new SendMessageRequest(null, message, SendMessageConfiguration.NONE, null);
  }

  /** Returns this request with other options. */
  public SendMessageRequest with(SendMessageConfiguration configuration) {
    return new SendMessageRequest(tenant, message, configuration, metadata);
  }
}
