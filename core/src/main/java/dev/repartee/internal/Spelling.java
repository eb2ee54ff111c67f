package dev.repartee.internal;

import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Finds the known word that a misspelled word resembles, for error messages. */
public final class Spelling {
  /** The length from which a word gets no suggestion: a peer may have chosen it. */
  private static final int TOO_LONG = 65;

  private Spelling() {}

  /**
   * Returns the known word from which the fewest typing errors lead to {@code word}: a letter too
   * many, missing or wrong, or two letters swapped. Ignores case. Short words may differ by one
   * error, words of six letters or more by two.
   *
   * @return null if no known word is that close
   */
  public static @Nullable String nearest(String word, Iterable<String> known) {
    if (word.length() >= TOO_LONG) {
      return null;
    }
    String lower = word.toLowerCase(Locale.ROOT);
    int limit = word.length() < 3 ? 0 : word.length() < 6 ? 1 : 2;
    String nearest = null;
    for (String candidate : known) {
      if (Math.abs(candidate.length() - word.length()) <= limit) {
        int distance = distance(lower, candidate.toLowerCase(Locale.ROOT), limit);
        if (distance <= limit) {
          nearest = candidate;
          limit = distance - 1; // only a closer one is better
        }
      }
    }
    return nearest;
  }

  /**
   * Returns the optimal string alignment distance of two words, or any number above the limit if it
   * exceeds the limit. Most words differ from the first letters on and are left after a few steps.
   */
  private static int distance(String a, String b, int limit) {
    int[] beforeLast = new int[b.length() + 1];
    int[] last = new int[b.length() + 1];
    int[] row = new int[b.length() + 1];
    Arrays.setAll(last, j -> j);
    for (int i = 1; i <= a.length(); i++) {
      row[0] = i;
      int least = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = last[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replaced, 1 + Math.min(last[j], row[j - 1]));
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
        }
        least = Math.min(least, row[j]);
      }
      if (least > limit) {
        return least;
      }
      int[] free = beforeLast;
      beforeLast = last;
      last = row;
      row = free;
    }
    return last[b.length()];
  }
}
