package dev.repartee.mcp;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How much a message of the log matters (RFC 5424), the least first. */
public enum LogLevel {
  /** For who looks for a fault. */
  DEBUG,
  /** What goes on. */
  INFO,
  /** What is worth a look, though nothing is wrong. */
  NOTICE,
  /** What may become wrong. */
  WARNING,
  /** What went wrong. */
  ERROR,
  /** A part does not work. */
  CRITICAL,
  /** Something has to be done at once. */
  ALERT,
  /** Nothing works. */
  EMERGENCY;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The level of that name, or null. */
  static @Nullable LogLevel of(String label) {
    for (LogLevel level : values()) {
      if (level.label().equals(label)) {
        return level;
      }
    }
    return null;
  }
}
