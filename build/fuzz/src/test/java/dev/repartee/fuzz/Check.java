package dev.repartee.fuzz;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The assertions of the targets. A failure is a finding. */
final class Check {
  private Check() {}

  static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }

  static void same(String what, @Nullable Object expected, @Nullable Object got) {
    if (!Objects.equals(expected, got)) {
      throw new AssertionError(what + ": expected " + expected + ", got " + got);
    }
  }
}
