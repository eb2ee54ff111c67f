package dev.repartee.benchmarks.report;

import java.util.Locale;

/** A text in Markdown; its numbers do not depend on the locale. */
public final class Text {
  private final StringBuilder text = new StringBuilder();

  /** Adds a formatted text. */
  public Text add(String format, Object... args) {
    text.append(of(format, args));
    return this;
  }

  /** Returns a formatted text. */
  public static String of(String format, Object... args) {
    return String.format(Locale.ROOT, format, args);
  }

  /** Removes and returns the text. */
  public String taken() {
    String taken = text.toString();
    text.setLength(0);
    return taken;
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
