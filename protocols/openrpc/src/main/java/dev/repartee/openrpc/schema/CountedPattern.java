package dev.repartee.openrpc.schema;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A regular expression that counts the work of a match as {@link Effort}: exponential time, or a
 * deep stack. Immutable.
 *
 * <p>The text counts the reads of its characters. A group may match without any, as in {@code
 * ((){999}){999}}, and many groups may do so in exponentially many ways: {@code (|)(|)(|)}. Therefore
 * each group and alternative begins with a mark, an empty look-ahead. With transparent bounds a
 * look-ahead reads the length of the text, and this counts, too.
 */
final class CountedPattern {
  private static final String MARK = "(?=)";

  /** The maximum number of times that an assertion outside of a group, {@code ^{9}}, is repeated. */
  private static final int MOST = 1_000_000;

  private final Pattern pattern;
  private final Pattern marked;

  /**
   * @throws PatternSyntaxException if the pattern is not valid, has a repetition with a least number
   *     above a million, or the flag x, which no pattern of JSON Schema has
   */
  CountedPattern(String pattern) {
    this.pattern = Pattern.compile(pattern); // the marks could make an invalid one valid
    this.marked = Pattern.compile(new Marking(pattern).marked());
  }

  /**
   * Returns whether a part of the text matches.
   *
   * @param node counts the work
   * @throws Effort.ExceededException if it is too much
   */
  boolean matches(String text, SchemaNode node) {
    try {
      return marked.matcher(new Counted(text, node)).useTransparentBounds(true).find();
    } catch (StackOverflowError e) {
      throw new Effort.ExceededException("is too long to be matched with " + pattern);
    }
  }

  /** Returns the pattern without marks. */
  @Override
  public String toString() {
    return pattern.toString();
  }

  /** A text that counts each read of a character and of the length. */
  private record Counted(String text, SchemaNode node) implements CharSequence {
    @Override
    public int length() {
      node.evaluation();
      return text.length();
    }

    @Override
    public char charAt(int index) {
      node.step();
      return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return new Counted(text.substring(start, end), node);
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** Inserts the marks into a valid pattern. */
  private static final class Marking {
    private final String pattern;
    private final StringBuilder marked = new StringBuilder();
    private int at;

    Marking(String pattern) {
      this.pattern = pattern;
    }

    String marked() {
      while (at < pattern.length()) {
        switch (pattern.charAt(at)) {
          case '\\' -> escape();
          case '[' -> characters();
          case '(' -> group();
          case '|' -> copy(at + 1).append(MARK);
          case '{' -> repetition();
          default -> copy(at + 1);
        }
      }
      return marked.toString();
    }

    /** Copies the pattern up to an index, or to its end. */
    private StringBuilder copy(int to) {
      int from = at;
      at = Math.min(to, pattern.length());
      return marked.append(pattern, from, at);
    }

    private void escape() {
      if (pattern.startsWith("\\Q", at)) {
        int end = pattern.indexOf("\\E", at);
        copy(end < 0 ? pattern.length() : end + 2);
        return;
      }
      boolean isControl = pattern.startsWith("\\c", at);
      copy(at + 2);
      if (isControl && !pattern.startsWith("\\", at)) {
        copy(at + 1);
      }
    }

    /** Copies a class of characters: a bracket at its start is a character. */
    private void characters() {
      copy(at + (pattern.startsWith("[^", at) ? 2 : 1));
      for (boolean isFirst = true; at < pattern.length(); isFirst = false) {
        switch (pattern.charAt(at)) {
          case '\\' -> escape();
          case '[' -> characters();
          case ']' -> {
            copy(at + 1);
            if (!isFirst) {
              return;
            }
          }
          default -> copy(at + 1);
        }
      }
    }

    private void group() {
      copy(at + 1);
      if (!pattern.startsWith("?", at)) {
        marked.append(MARK);
      } else if (pattern.startsWith("?<", at) && Character.isLetter(pattern.charAt(at + 2))) {
        copy(pattern.indexOf('>', at) + 1).append(MARK);
      } else if (pattern.startsWith("?<", at)) {
        copy(at + 3).append(MARK);
      } else {
        copy(at + 1);
        flags();
      }
    }

    /** Copies the rest of the start of a group, {@code i:}, or flags without a group, {@code i)}. */
    private void flags() {
      while (Character.isLetter(pattern.charAt(at)) || pattern.charAt(at) == '-') {
        if (pattern.charAt(at) == 'x') {
          throw new PatternSyntaxException("the flag x is not supported", pattern, at);
        }
        copy(at + 1);
      }
      boolean hasGroup = pattern.charAt(at) != ')';
      copy(at + 1);
      marked.append(hasGroup ? MARK : "");
    }

    private void repetition() {
      copy(at + 1);
      int start = at;
      long least = 0;
      while (at < pattern.length() && Character.isDigit(pattern.charAt(at)) && least <= MOST) {
        least = 10 * least + pattern.charAt(at) - '0';
        copy(at + 1);
      }
      if (least > MOST) {
        throw new PatternSyntaxException("the repetition is too large", pattern, start);
      }
    }
  }
}
