package dev.repartee.trace;

import java.util.Locale;

/** The direction of a message, seen from the side that records. */
public enum Direction {
  /** From the peer to this side. */
  IN,
  /** From this side to the peer. */
  OUT;

  /** Returns the name in a recording, such as {@code in}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
