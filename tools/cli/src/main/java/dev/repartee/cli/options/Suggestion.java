package dev.repartee.cli.options;

import dev.repartee.internal.Spelling;

/** The question whether a word of the command line is misspelled, for error messages. */
public final class Suggestion {
  private Suggestion() {}

  /** Returns the known word that is meant, in a question after a semicolon; empty if none is close. */
  public static String of(String word, Iterable<String> known) {
    String meant = Spelling.nearest(word, known);
    return meant == null ? "" : "; did you mean '" + meant + "'?";
  }
}
