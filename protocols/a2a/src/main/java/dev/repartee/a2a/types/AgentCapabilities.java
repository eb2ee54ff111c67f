package dev.repartee.a2a.types;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The optional features of an agent (section 4.4.3). Null means that the card does not mention the
 * feature, which counts as false.
 *
 * @param streaming whether it streams events
 * @param pushNotifications whether it sends push notifications
 * @param extensions its extensions of the protocol
 * @param extendedAgentCard whether authenticated clients get a card with more details
 */
public record AgentCapabilities(
    @Nullable Boolean streaming,
    @Nullable Boolean pushNotifications,
    List<AgentExtension> extensions,
    @Nullable Boolean extendedAgentCard) {
  /** No optional features. */
  public static final AgentCapabilities NONE = new AgentCapabilities(null, null, List.of(), null);

  /** Copies the list. */
  public AgentCapabilities {
    extensions = List.copyOf(extensions);
  }

  /** Returns whether the agent streams events. */
  public boolean streams() {
    return Boolean.TRUE.equals(streaming);
  }

  /** Returns whether the agent sends push notifications. */
  public boolean pushes() {
    return Boolean.TRUE.equals(pushNotifications);
  }

  /** Returns whether there is an extended card. */
  public boolean extendsCard() {
    return Boolean.TRUE.equals(extendedAgentCard);
  }
}
