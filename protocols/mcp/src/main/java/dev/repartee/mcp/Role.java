package dev.repartee.mcp;

import java.util.Locale;

/** The speaker of a message in a conversation, or an intended reader of a content block. */
public enum Role {
  /** The user. */
  USER,
  /** The model. */
  ASSISTANT;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
