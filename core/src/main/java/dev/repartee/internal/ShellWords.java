package dev.repartee.internal;

import java.util.ArrayList;
import java.util.List;

/**
 * Splits a command line into words by the quoting rules of POSIX (XCU 2.2), as a shell does, but
 * without expansion: no variables, no globs, no operators.
 */
public final class ShellWords {
  private final String text;
  private final List<String> words = new ArrayList<>();
  private final StringBuilder word = new StringBuilder();
  private boolean inWord;
  private int at;

  private ShellWords(String text) {
    this.text = text;
  }

  /**
   * Returns the words of a command line.
   *
   * @throws IllegalArgumentException if a quote is not closed or nothing follows a backslash
   */
  public static List<String> split(String text) {
    return new ShellWords(text).split();
  }

  private List<String> split() {
    while (at < text.length()) {
      char c = text.charAt(at++);
      switch (c) {
        case ' ', '\t', '\n' -> end();
        case '\'' -> single();
        case '"' -> twofold();
        case '\\' -> escaped();
        default -> append(c);
      }
    }
    end();
    return words;
  }

  private void append(char c) {
    inWord = true;
    word.append(c);
  }

  private void end() {
    if (inWord) {
      words.add(word.toString());
      word.setLength(0);
      inWord = false;
    }
  }

  private void single() {
    inWord = true;
    int close = text.indexOf('\'', at);
    if (close < 0) {
      throw unclosed('\'');
    }
    word.append(text, at, close);
    at = close + 1;
  }

  private void twofold() {
    inWord = true;
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (c == '"') {
        return;
      }
      if (c == '\\' && at < text.length() && "$`\"\\\n".indexOf(text.charAt(at)) >= 0) {
        c = text.charAt(at++);
        if (c == '\n') {
          continue;
        }
      }
      word.append(c);
    }
    throw unclosed('"');
  }

  private void escaped() {
    if (at == text.length()) {
      throw new IllegalArgumentException("nothing follows the last backslash of: " + text);
    }
    char c = text.charAt(at++);
    if (c != '\n') {
      append(c);
    }
  }

  private IllegalArgumentException unclosed(char quote) {
    return new IllegalArgumentException("a " + quote + " is not closed in: " + text);
  }
}
