package dev.repartee.openrpc.generate;

import java.util.List;

/**
 * An HTML page without scripts or other files. Of the Markdown in documents it renders paragraphs,
 * lists and code.
 */
final class HtmlMarkup implements Markup {
  private final StringBuilder out = new StringBuilder();

  HtmlMarkup(String title) {
    out.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        .append("<title>")
        .append(escaped(title))
        .append("</title>\n<style>\n")
        .append(Template.text("page.css"))
        .append("</style>\n</head>\n<body>\n<main>\n");
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  @Override
  public String text(String markdown) {
    StringBuilder text = new StringBuilder();
    int from = 0;
    for (int at = markdown.indexOf('`'); at >= 0; at = markdown.indexOf('`', from)) {
      int end = markdown.indexOf('`', at + 1);
      if (end < 0) {
        break;
      }
      text.append(escaped(markdown.substring(from, at)));
      text.append(code(markdown.substring(at + 1, end)));
      from = end + 1;
    }
    return text.append(escaped(markdown.substring(from))).toString().replaceAll("\\s+", " ");
  }

  @Override
  public String code(String text) {
    return "<code>" + escaped(text) + "</code>";
  }

  @Override
  public String link(String text, String anchor) {
    return "<a href=\"#" + anchor + "\">" + text + "</a>";
  }

  @Override
  public void heading(int level, String anchor, String text) {
    String id = anchor.isEmpty() ? "" : " id=\"" + anchor + '"';
    out.append("<h").append(level).append(id).append('>').append(text);
    out.append("</h").append(level).append(">\n");
  }

  @Override
  public void paragraphs(String markdown) {
    List<String> lines = Lines.filled(markdown, Integer.MAX_VALUE);
    boolean list = false;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (line.stripLeading().startsWith("```")) {
        StringBuilder code = new StringBuilder();
        for (i++; i < lines.size() && !lines.get(i).stripLeading().startsWith("```"); i++) {
          code.append(lines.get(i)).append('\n');
        }
        block("", code.toString().stripTrailing());
      } else if (line.matches("\\s*[-*+] .*")) {
        out.append(list ? "" : "<ul>\n");
        out.append("<li>").append(text(line.strip().substring(2))).append("</li>\n");
        list = true;
      } else if (!line.isBlank()) {
        out.append(list ? "</ul>\n" : "");
        list = false;
        paragraph(text(line));
      }
    }
    out.append(list ? "</ul>\n" : "");
  }

  @Override
  public void paragraph(String inline) {
    out.append("<p>").append(inline).append("</p>\n");
  }

  @Override
  public void block(String language, String code) {
    out.append("<pre><code>").append(escaped(code)).append("</code></pre>\n");
  }

  @Override
  public void list(List<String> items) {
    if (!items.isEmpty()) {
      out.append("<ul>\n");
      items.forEach(item -> out.append("<li>").append(item).append("</li>\n"));
      out.append("</ul>\n");
    }
  }

  @Override
  public void table(List<String> head, List<List<String>> rows) {
    out.append("<table>\n");
    row(head, "th");
    rows.forEach(row -> row(row, "td"));
    out.append("</table>\n");
  }

  private void row(List<String> cells, String tag) {
    out.append("<tr>");
    cells.forEach(cell -> out.append('<')
        .append(tag)
        .append('>')
        .append(cell)
        .append("</")
        .append(tag)
        .append('>'));
    out.append("</tr>\n");
  }

  @Override
  public void contents(boolean start) {
    out.append(start ? "<nav>\n" : "</nav>\n");
  }

  @Override
  public String page() {
    return out + "</main>\n</body>\n</html>\n";
  }
}
