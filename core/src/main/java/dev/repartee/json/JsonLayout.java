package dev.repartee.json;

/**
 * The white space between the tokens of a JSON text, for people. The tokens are copied, so that
 * every digit and escape stays as received.
 */
public enum JsonLayout {
  /** No white space: the value is on one line. */
  ONE_LINE,
  /**
   * A line for each element and member, indented by two spaces per level. Empty containers stay on
   * one line.
   */
  INDENTED;

  /** Returns the value in this layout. */
  public String text(Json json) {
    return text(json, Integer.MAX_VALUE);
  }

  /**
   * Returns the value in this layout, or the start of a longer text followed by three dots. With a
   * maximum the indentation of a deep value cannot use much memory.
   *
   * @param most the greatest number of characters before the dots
   */
  public String text(Json json, int most) {
    String text = json.toString();
    StringBuilder out = new StringBuilder();
    int depth = 0;
    for (int i = 0; i < text.length() && out.length() <= most; i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> {
          int end = endOfString(text, i);
          out.append(text, i, end);
          i = end - 1;
        }
        case '{', '[' -> {
          out.append(c);
          int next = nextToken(text, i + 1);
          if (text.charAt(next) == c + 2) { // in ASCII ']' is '[' + 2, and '}' is '{' + 2
            out.append(text.charAt(next));
            i = next;
          } else {
            newLine(out, ++depth);
          }
        }
        case '}', ']' -> {
          newLine(out, --depth);
          out.append(c);
        }
        case ',' -> {
          out.append(c);
          newLine(out, depth);
        }
        case ':' -> out.append(this == INDENTED ? ": " : ":");
        case ' ', '\t', '\r', '\n' -> {}
        default -> out.append(c);
      }
    }
    if (out.length() > most) {
      boolean splitsPair = most > 0 && Character.isHighSurrogate(out.charAt(most - 1));
      out.setLength(splitsPair ? most - 1 : most);
      out.append("...");
    }
    return out.toString();
  }

  private void newLine(StringBuilder out, int depth) {
    if (this == INDENTED) {
      out.append('\n').append("  ".repeat(depth));
    }
  }

  private static int endOfString(String text, int quote) {
    int i = quote + 1;
    while (text.charAt(i) != '"') {
      i += text.charAt(i) == '\\' ? 2 : 1;
    }
    return i + 1;
  }

  private static int nextToken(String text, int from) {
    int i = from;
    while (text.charAt(i) <= ' ') {
      i++;
    }
    return i;
  }
}
