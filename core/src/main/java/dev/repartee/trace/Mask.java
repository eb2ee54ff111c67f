package dev.repartee.trace;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The values that a trace hides. */
public enum Mask {
  /** Hides nothing. */
  NONE,
  /**
   * Hides the values of members with names of secrets, such as {@code password} and {@code apiKey};
   * the default. Positional params have no names; they are shown.
   */
  NAMES,
  /**
   * Hides the names' values, and replaces all other strings by <code>"&hellip;"</code> and all
   * other numbers by 0. Shows the members {@code jsonrpc}, {@code id} and {@code method}, the
   * {@code code} of an error, the names of all members, {@code true}, {@code false} and {@code
   * null}.
   */
  VALUES;

  /** Returns the name in recordings and system properties, such as {@code names}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the mask with this name.
   *
   * @throws IllegalArgumentException if there is none; the message lists the known names
   */
  public static Mask named(String label) {
    return Arrays.stream(values())
        .filter(mask -> mask.label().equals(label))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("unknown mask '" + label + "'; known are "
            + Arrays.stream(values()).map(Mask::label).collect(Collectors.joining(", "))));
  }
}
