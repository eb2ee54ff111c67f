package dev.repartee.openrpc.generate;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Markdown as GitHub renders it. Text of the document cannot contain HTML. */
final class MarkdownMarkup implements Markup {
  private static final Pattern QUOTES = Pattern.compile("`+");

  /** Backticks that may begin code, or a character after a backslash. */
  private static final Pattern START = Pattern.compile("`+|\\\\.");

  private final StringBuilder out = new StringBuilder();

  @Override
  public String text(String markdown) {
    return escaped(markdown.replaceAll("\\s+", " ")).replace("|", "\\|");
  }

  /**
   * Returns Markdown in which no tag starts outside of code. Of blocks of code only those are kept
   * that are not indented and end; the quotes of others are escaped, since a block that looks open
   * here and is not would contain tags.
   */
  private static String blocks(String markdown) {
    List<String> lines = markdown.lines().toList();
    List<String> escaped = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      int end = lines.get(i).matches("```[^`]*") ? i + 1 : lines.size();
      while (end < lines.size() && !lines.get(end).matches(" {0,3}`{3,} *")) {
        end++;
      }
      if (end < lines.size()) {
        escaped.addAll(lines.subList(i, end + 1));
        i = end;
      } else {
        escaped.add(escaped(lines.get(i)).replaceFirst("^( *)~~~", "$1\\\\~~~"));
      }
    }
    return String.join("\n", escaped);
  }

  /**
   * Returns a line in which no tag starts outside of code. Code begins and ends with the same number
   * of backticks (CommonMark 0.31, section 6.1). Backticks that begin no code in this line are
   * escaped: they could begin code that ends in another.
   */
  private static String escaped(String line) {
    StringBuilder escaped = new StringBuilder();
    Matcher start = START.matcher(line);
    int from = 0;
    while (start.find(from)) {
      escaped.append(line.substring(from, start.start()).replace("<", "&lt;"));
      String token = start.group();
      boolean hasQuotes = token.startsWith("`");
      int end = hasQuotes ? endOfCode(line, start) : -1;
      if (end >= 0) {
        escaped.append(line, start.start(), end);
        from = end;
      } else {
        escaped.append(hasQuotes ? "\\`".repeat(token.length()) : token.replace("<", "&lt;"));
        from = start.end();
      }
    }
    return escaped.append(line.substring(from).replace("<", "&lt;")).toString();
  }

  /** Returns the end of the code; -1 if it does not end, or would end the cell of a table. */
  private static int endOfCode(String line, Matcher start) {
    Matcher quotes = QUOTES.matcher(line);
    for (int at = start.end(); quotes.find(at); at = quotes.end()) {
      if (quotes.group().equals(start.group())) {
        return line.substring(start.end(), quotes.end()).contains("\\|") ? -1 : quotes.end();
      }
    }
    return -1;
  }

  @Override
  public String code(String text) {
    String line = text.replaceAll("\\s+", " ");
    if (line.contains("\\|")) {
      return text(line); // in a table, the bar would end the cell
    }
    String quotes = quotes("`", line);
    String space = line.startsWith("`") || line.endsWith("`") ? " " : "";
    return quotes + space + line.replace("|", "\\|") + space + quotes;
  }

  /** Returns at least these backticks, and more than the text has. */
  private static String quotes(String least, String text) {
    String quotes = least;
    while (text.contains(quotes)) {
      quotes += "`";
    }
    return quotes;
  }

  @Override
  public String link(String text, String anchor) {
    return "[" + text + "](#" + anchor + ")";
  }

  @Override
  public void heading(int level, String anchor, String text) {
    if (!anchor.isEmpty()) {
      out.append("<a id=\"").append(anchor).append("\"></a>\n\n");
    }
    out.append("#".repeat(level)).append(' ').append(text).append("\n\n");
  }

  @Override
  public void paragraphs(String markdown) {
    if (!markdown.isEmpty()) {
      out.append(blocks(markdown)).append("\n\n");
    }
  }

  @Override
  public void paragraph(String inline) {
    out.append(inline).append("\n\n");
  }

  @Override
  public void block(String language, String code) {
    String fence = quotes("```", code);
    out.append(fence).append(language).append('\n').append(code).append('\n');
    out.append(fence).append("\n\n");
  }

  @Override
  public void list(List<String> items) {
    items.forEach(item -> out.append("- ").append(item).append('\n'));
    out.append(items.isEmpty() ? "" : "\n");
  }

  @Override
  public void table(List<String> head, List<List<String>> rows) {
    row(head);
    row(Collections.nCopies(head.size(), "---"));
    rows.forEach(this::row);
    out.append('\n');
  }

  private void row(List<String> cells) {
    out.append("| ").append(String.join(" | ", cells)).append(" |\n");
  }

  @Override
  public void contents(boolean start) {}

  @Override
  public String page() {
    return out.toString().stripTrailing() + '\n';
  }
}
