package dev.repartee.openrpc.generate;

import java.util.ArrayList;
import java.util.List;

/** Javadoc comments from texts in Markdown. Text cannot end the comment or start a tag. */
final class Javadoc {
  private final List<String> text = new ArrayList<>();
  private final List<String> tags = new ArrayList<>();
  private final int width;

  /**
   * Creates an empty comment.
   *
   * @param width the columns for the lines of the comment
   */
  Javadoc(int width) {
    this.width = width - " * ".length();
  }

  /** Adds paragraphs. */
  Javadoc text(Doc doc) {
    return text(doc.text());
  }

  Javadoc text(String markdown) {
    boolean code = false;
    for (String line : Lines.filled(escaped(markdown), width)) {
      boolean fence = line.stripLeading().startsWith("```");
      if (fence) {
        code = !code;
        text.add(code ? "<pre>" : "</pre>");
      } else if (line.isEmpty() && !code) {
        text.add("");
      } else {
        boolean starts = !code && !text.isEmpty() && text.get(text.size() - 1).isEmpty();
        text.add(starts ? "<p>" + line : line);
      }
    }
    if (code) {
      text.add("</pre>");
    }
    return this;
  }

  /** Adds a tag, such as {@code @param}; nothing if the text is empty. */
  Javadoc tag(String tag, String markdown) {
    if (!markdown.isEmpty()) {
      List<String> lines =
          Lines.filled(tag + ' ' + escaped(markdown.replaceAll("\\s+", " ")), width - 4);
      for (int i = 0; i < lines.size(); i++) {
        tags.add(i == 0 ? lines.get(i) : "    " + lines.get(i));
      }
    }
    return this;
  }

  /** Returns the lines of the comment; none if it is empty. */
  List<String> lines() {
    if (text.isEmpty() && tags.isEmpty()) {
      return List.of();
    } else if (tags.isEmpty() && text.size() == 1 && text.get(0).length() <= width - 4) {
      return List.of("/** " + text.get(0) + " */");
    }
    List<String> lines = new ArrayList<>();
    lines.add("/**");
    text.forEach(line -> lines.add(line.isEmpty() ? " *" : " * " + line));
    if (!text.isEmpty() && !tags.isEmpty()) {
      lines.add(" *");
    }
    tags.forEach(line -> lines.add(" * " + line));
    lines.add(" */");
    return lines;
  }

  /**
   * Returns text whose characters have no meaning in comments. Code becomes {@code code} if it has
   * no such characters.
   */
  static String escaped(String markdown) {
    StringBuilder out = new StringBuilder();
    int from = 0;
    for (int at = markdown.indexOf('`'); at >= 0; at = markdown.indexOf('`', from)) {
      int end = markdown.indexOf('`', at + 1);
      int line = markdown.indexOf('\n', at);
      boolean code = end > at + 1 && (line < 0 || end < line);
      out.append(plain(markdown.substring(from, at)));
      out.append(code ? code(markdown.substring(at + 1, end)) : "`");
      from = code ? end + 1 : at + 1;
    }
    return out + plain(markdown.substring(from));
  }

  private static String code(String code) {
    int depth = 0;
    for (char c : code.toCharArray()) {
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      if (depth < 0) {
        break;
      }
    }
    boolean verbatim = depth == 0 && !code.contains("\\") && !code.contains("*/");
    return verbatim ? "{@code " + code + '}' : "<code>" + plain(code) + "</code>";
  }

  private static String plain(String text) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      out.append(
          switch (c) {
            case '&' -> "&amp;";
            case '<' -> "&lt;";
            case '>' -> "&gt;";
            case '@' -> "&#64;";
            case '{' -> "&#123;";
            case '}' -> "&#125;";
            case '\\' -> "&#92;";
            case '/' -> i > 0 && text.charAt(i - 1) == '*' ? "&#47;" : "/";
            default -> String.valueOf(c);
          });
    }
    return out.toString();
  }
}
