package dev.repartee.mcp.types;

import java.util.Locale;

/** The speaker of a message in a conversation, or an intended reader of a content block. */
public enum Role {
  /** The user. */
  USER,
  /** The model. */
  ASSISTANT;

  /** Returns the name of the role in messages, such as {@code user}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
