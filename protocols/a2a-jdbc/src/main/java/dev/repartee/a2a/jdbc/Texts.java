package dev.repartee.a2a.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

/** The texts that both databases can keep in an index. */
final class Texts {
  private Texts() {}

  /** Returns whether a text is short enough and has a form in UTF-8 without the character 0. */
  static boolean fits(String text) {
    return text.length() <= Schema.TEXT
        && text.indexOf('\0') < 0
        && UTF_8.newEncoder().canEncode(text);
  }

  /** Returns the reason of a refusal, with the remedy. */
  static String fault() {
    return "has more than " + Schema.TEXT
        + " characters, or one that a database cannot keep; use a shorter text without the"
        + " character 0";
  }
}
