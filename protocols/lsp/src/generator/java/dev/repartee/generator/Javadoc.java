package dev.repartee.generator;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Turns the documentation in the meta model, which is Markdown, into Javadoc. */
final class Javadoc {
  private static final Pattern LINK =
      Pattern.compile("\\{@link(?:code)?\\s+([^\\s}]+)(?:\\s+([^}]*))?}");
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```\\w*\\n(.*?)\\n?^```$");
  private static final Pattern CODE = Pattern.compile("`([^`\\n]+)`");
  private static final int WIDTH = 96;

  private Javadoc() {}

  /** Returns the body of a comment; the other text if the meta model has none. */
  static String body(Optional<String> documentation, String otherwise) {
    String text = documentation.orElse("").strip();
    return text.isEmpty() ? otherwise : html(text);
  }

  private static String html(String text) {
    StringBuilder html = new StringBuilder();
    Matcher block = BLOCK.matcher(text);
    int at = 0;
    while (block.find()) {
      html.append(paragraphs(text.substring(at, block.start()), at == 0));
      html.append("\n<pre>\n").append(escape(block.group(1))).append("\n</pre>\n");
      at = block.end();
    }
    html.append(paragraphs(text.substring(at), at == 0));
    return html.toString().strip();
  }

  private static String paragraphs(String text, boolean first) {
    StringBuilder html = new StringBuilder();
    for (String paragraph : text.strip().split("\\n\\s*\\n|\\n(?=@)")) {
      if (paragraph.isBlank() || paragraph.startsWith("@sample")) {
        continue;
      }
      html.append(first && html.isEmpty() ? "" : "\n\n<p>").append(inline(tag(paragraph.strip())));
    }
    return html.toString();
  }

  /** Turns a block tag of TSDoc, which Javadoc may not know at this place, into a sentence. */
  private static String tag(String paragraph) {
    if (paragraph.startsWith("@since")) {
      return "Since " + paragraph.substring("@since".length()).strip();
    } else if (paragraph.startsWith("@proposed")) {
      return "Proposed." + paragraph.substring("@proposed".length());
    } else if (paragraph.startsWith("@deprecated")) {
      return "Deprecated: " + paragraph.substring("@deprecated".length()).strip();
    }
    return paragraph;
  }

  private static String inline(String text) {
    String linked = LINK.matcher(text)
        .replaceAll(link -> Matcher.quoteReplacement(
            link.group(2) == null ? "`" + link.group(1) + "`" : link.group(2)));
    StringBuilder html = new StringBuilder();
    Matcher code = CODE.matcher(linked);
    int at = 0;
    while (code.find()) {
      html.append(escape(linked.substring(at, code.start())));
      html.append("<code>").append(escape(code.group(1))).append("</code>");
      at = code.end();
    }
    return html.append(escape(linked.substring(at))).toString();
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("@", "&#64;")
        .replace("\\", "&#92;")
        .replace("*/", "*&#47;")
        .replace("/*", "&#47;*");
  }

  /** Returns a comment with this body, indented. */
  static String comment(String indent, String body) {
    List<String> lines = new ArrayList<>();
    for (String line : body.split("\\n", -1)) {
      lines.addAll(wrap(line.stripTrailing()));
    }
    StringBuilder comment = new StringBuilder(indent).append("/**\n");
    for (String line : lines) {
      comment.append(indent).append(line.isEmpty() ? " *" : " * " + line).append('\n');
    }
    return comment.append(indent).append(" */\n").toString();
  }

  private static List<String> wrap(String line) {
    List<String> lines = new ArrayList<>();
    String rest = line;
    while (rest.length() > WIDTH && rest.lastIndexOf(' ', WIDTH) > 0) {
      int at = rest.lastIndexOf(' ', WIDTH);
      lines.add(rest.substring(0, at));
      rest = rest.substring(at + 1);
    }
    lines.add(rest);
    return lines;
  }
}
