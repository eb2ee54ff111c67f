package dev.repartee.mcp.workspace;

import dev.repartee.mcp.schema.BoundedKeywords;

/** Texts of others in results and messages. */
public final class Texts {
  private Texts() {}

  /** Returns a text with at most that many characters, and an ellipsis if it was longer. */
  public static String cut(String text, int longest) {
    return BoundedKeywords.shortened(text, longest);
  }
}
