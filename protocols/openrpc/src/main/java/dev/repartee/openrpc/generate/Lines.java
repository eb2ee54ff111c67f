package dev.repartee.openrpc.generate;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Lines of text with indentation. */
final class Lines {
  /** The length of a line up to which text is filled. */
  static final int WIDTH = 100;

  private static final Pattern ITEM = Pattern.compile("([-*+#>|]|[0-9]+[.)])\\s.*", Pattern.DOTALL);

  private final StringBuilder out = new StringBuilder();
  private final String unit;
  private final int width;
  private int depth;

  /**
   * Creates an empty text.
   *
   * @param unit the spaces of one level
   */
  Lines(String unit) {
    this(unit, WIDTH);
  }

  Lines(String unit, int width) {
    this.unit = unit;
    this.width = width;
  }

  /** Adds a line; an empty line has no indentation. */
  Lines add(String line) {
    if (!line.isEmpty()) {
      out.append(unit.repeat(depth)).append(line);
    }
    out.append('\n');
    return this;
  }

  /** Adds lines as {@link #add} does. */
  Lines addAll(Iterable<String> lines) {
    lines.forEach(this::add);
    return this;
  }

  Lines indent() {
    depth++;
    return this;
  }

  Lines outdent() {
    depth--;
    return this;
  }

  /** Returns the number of columns to the right of the indentation. */
  int width() {
    return width - unit.length() * depth;
  }

  @Override
  public String toString() {
    return out.toString();
  }

  /**
   * Returns a text filled to a width. Paragraphs are separated by an empty line. The lines of a list
   * or of a block of code are not joined.
   */
  static List<String> filled(String text, int width) {
    List<String> lines = new ArrayList<>();
    if (text.isEmpty()) {
      return lines;
    }
    boolean code = false;
    StringBuilder paragraph = new StringBuilder();
    for (String line : text.split("\n", -1)) {
      boolean fence = line.stripLeading().startsWith("```");
      if (fence || code || line.isEmpty() || ITEM.matcher(line.strip()).matches()) {
        fill(paragraph, width, lines);
        if (fence || code || line.isEmpty()) {
          lines.add(line);
        } else {
          paragraph.append(line);
        }
        code ^= fence;
      } else {
        paragraph.append(paragraph.length() == 0 ? "" : " ").append(line.strip());
      }
    }
    fill(paragraph, width, lines);
    return lines;
  }

  private static void fill(StringBuilder paragraph, int width, List<String> lines) {
    StringBuilder line = new StringBuilder();
    for (String word : paragraph.toString().strip().split(" +", -1)) {
      if (line.length() > 0 && line.length() + 1 + word.length() > width) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.length() == 0 ? "" : " ").append(word);
    }
    if (line.length() > 0) {
      lines.add(line.toString());
    }
    paragraph.setLength(0);
  }
}
