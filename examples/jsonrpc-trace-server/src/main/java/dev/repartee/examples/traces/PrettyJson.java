package dev.repartee.examples.traces;

/** Lays JSON out over several lines. */
final class PrettyJson {
  private PrettyJson() {}

  /**
   * Returns valid JSON with a line for each element and member. The tokens stay as they are.
   *
   * @param most the length in characters behind which the rest is replaced by three dots
   */
  static String of(String json, int most) {
    StringBuilder out = new StringBuilder();
    int depth = 0;
    boolean inString = false;
    for (int i = 0; i < json.length(); i++) {
      if (out.length() >= most) {
        return out.append("...").toString();
      }
      char c = json.charAt(i);
      if (inString) {
        out.append(c);
        if (c == '\\') {
          out.append(json.charAt(++i));
        }
        inString = c != '"';
        continue;
      }
      switch (c) {
        case '"' -> {
          inString = true;
          out.append(c);
        }
        case '{', '[' -> {
          out.append(c);
          int next = token(json, i + 1);
          if (json.charAt(next) == c + 2) { // in ASCII ']' is '[' + 2, and '}' is '{' + 2
            out.append(json.charAt(next));
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
        case ':' -> out.append(": ");
        case ' ', '\t', '\r', '\n' -> {}
        default -> out.append(c);
      }
    }
    return out.toString();
  }

  private static int token(String json, int from) {
    int i = from;
    while (json.charAt(i) <= ' ') {
      i++;
    }
    return i;
  }

  private static void newLine(StringBuilder out, int depth) {
    out.append('\n').append("  ".repeat(depth));
  }
}
