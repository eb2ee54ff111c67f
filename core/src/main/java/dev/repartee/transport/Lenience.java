package dev.repartee.transport;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** A deviation from the specification that can be tolerated. */
public enum Lenience {
  /** Treats {@code "params":null} as no params. */
  NULL_PARAMS,
  /** Accepts messages without the member {@code jsonrpc}. */
  MISSING_VERSION,
  /**
   * Ignores {@code "error":null} beside a result, and {@code "result":null} beside an error, as
   * responses of JSON-RPC 1.0 have them.
   */
  NULL_OUTCOME,
  /** Fails the pending call when an error with id null arrives, if exactly one call is pending. */
  NULL_ID_FAILS_LONE_CALL;

  private static final String ALL = "all";

  /** Returns the name in URIs, such as {@code null-params} in {@code #lenient=null-params}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Returns the deviations with these names.
   *
   * @param labels names separated by commas; {@code all} selects all of them
   * @throws IllegalArgumentException if a name is unknown; the message lists the known names
   */
  public static Set<Lenience> named(String labels) {
    Set<Lenience> named = EnumSet.noneOf(Lenience.class);
    for (String label : labels.split(",", -1)) {
      List<Lenience> found = Arrays.stream(values())
          .filter(lenience -> label.equals(ALL) || label.equals(lenience.label()))
          .toList();
      if (found.isEmpty()) {
        throw new IllegalArgumentException("unknown lenience '" + label + "'; known are "
            + Arrays.stream(values()).map(Lenience::label).collect(Collectors.joining(", "))
            + " and all");
      }
      named.addAll(found);
    }
    return named;
  }
}
