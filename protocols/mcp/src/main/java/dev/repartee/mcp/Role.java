package dev.repartee.mcp;

import java.util.Locale;

/** Who says something in a conversation, or is meant by it. */
public enum Role {
  /** A person. */
  USER,
  /** A model. */
  ASSISTANT;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
