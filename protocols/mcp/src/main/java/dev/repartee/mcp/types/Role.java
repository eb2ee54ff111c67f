package dev.repartee.mcp.types;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

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

  /** Returns the role of that name, or null. */
  public static @Nullable Role of(String label) {
    return label.equals("user") ? USER : label.equals("assistant") ? ASSISTANT : null;
  }
}
