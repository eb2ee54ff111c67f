package dev.repartee.mcp.types;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The severity of a log message (RFC 5424), lowest first. */
public enum LogLevel {
  /** Details for debugging. */
  DEBUG,
  /** Normal operation. */
  INFO,
  /** Normal but significant events. */
  NOTICE,
  /** Conditions that may lead to errors. */
  WARNING,
  /** Errors. */
  ERROR,
  /** The failure of a component. */
  CRITICAL,
  /** Immediate action is required. */
  ALERT,
  /** The system is unusable. */
  EMERGENCY;

  /** Returns the name of the level in messages, such as {@code info}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the level of that name, or null. */
  public static @Nullable LogLevel of(String label) {
    for (LogLevel level : values()) {
      if (level.label().equals(label)) {
        return level;
      }
    }
    return null;
  }
}
