package dev.repartee.javadoc;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Javadoc comment as Markdown, which OpenRPC uses for descriptions.
 *
 * @param main the text before the block tags
 * @param params the texts of {@code @param} by name
 * @param result the text of {@code @return}
 */
record DocText(String main, Map<String, String> params, String result) {
  private static final Pattern BLOCK = Pattern.compile("(?m)^[ \\t]*@(\\w+)\\s*");

  /** A code block of Markdown. */
  private static final Pattern FENCE = Pattern.compile("(?ms)^ {0,3}(```|~~~).*?(^ {0,3}\\1|\\z)");

  private static final String PRE = "<pre>";
  private static final String END_OF_PRE = "</pre>";
  private static final Pattern NAME = Pattern.compile("(?s)(\\S+)\\s*(.*)");

  /** The end of a sentence: a stop before white space. */
  private static final Pattern STOP = Pattern.compile("(?s).*?[.!?](?=\\s|$)");

  /** Reads a comment in HTML without its asterisks, as the compiler returns it. */
  static DocText of(String comment) {
    return of(comment, blockTags(comment, 0, comment.length()), DocText::markdown);
  }

  /** Reads a comment in Markdown without its slashes ({@code ///}, Java 23). */
  static DocText ofMarkdown(String comment) {
    List<int[]> tags = new ArrayList<>();
    outsideOfCode(comment).forEach(part -> tags.addAll(blockTags(comment, part[0], part[1])));
    return of(comment, tags, DocText::withoutTags);
  }

  private static DocText of(String comment, List<int[]> tags, UnaryOperator<String> form) {
    int end = tags.isEmpty() ? comment.length() : tags.get(0)[0];
    Map<String, String> params = new LinkedHashMap<>();
    String result = "";
    for (int i = 0; i < tags.size(); i++) {
      int to = i + 1 < tags.size() ? tags.get(i + 1)[0] : comment.length();
      Matcher tag = BLOCK.matcher(comment).region(tags.get(i)[0], to);
      if (tag.lookingAt()) {
        String body = comment.substring(tag.end(), to);
        if (tag.group(1).equals("return")) {
          result = form.apply(body);
        } else if (tag.group(1).equals("param")) {
          Matcher named = NAME.matcher(body.strip());
          if (named.matches()) {
            params.putIfAbsent(named.group(1), form.apply(named.group(2)));
          }
        }
      }
    }
    return new DocText(form.apply(comment.substring(0, end)), params, result);
  }

  /** Returns the first sentence of the main text, or all of it if it has no end of a sentence. */
  String firstSentence() {
    String paragraph = main.split("\n\n", 2)[0];
    Matcher stop = STOP.matcher(paragraph);
    return (stop.lookingAt() ? stop.group() : paragraph).replace('\n', ' ');
  }

  /**
   * Returns the ranges of the block tags in a part of a comment; an {@code @} inside of an inline
   * tag starts none.
   */
  private static List<int[]> blockTags(String comment, int from, int to) {
    List<int[]> found = new ArrayList<>();
    Matcher tag = BLOCK.matcher(comment).region(from, to);
    int depth = 0;
    int counted = from;
    while (tag.find()) {
      for (; counted < tag.start(); counted++) {
        char c = comment.charAt(counted);
        if (depth > 0 || comment.startsWith("{@", counted)) { // other braces are text
          depth += c == '{' ? 1 : c == '}' ? -1 : 0;
        }
      }
      if (depth == 0) {
        found.add(new int[] {tag.start(), tag.end()});
      }
    }
    return found;
  }

  /** Returns the ranges of a comment in Markdown that are outside of its code blocks. */
  private static List<int[]> outsideOfCode(String comment) {
    List<int[]> parts = new ArrayList<>();
    Matcher fence = FENCE.matcher(comment);
    int from = 0;
    while (fence.find()) {
      parts.add(new int[] {from, fence.start()});
      from = fence.end();
    }
    parts.add(new int[] {from, comment.length()});
    return parts;
  }

  /** Returns a text in Markdown with its inline tags replaced. */
  private static String withoutTags(String text) {
    StringBuilder out = new StringBuilder();
    int copied = 0;
    for (int[] part : outsideOfCode(text)) {
      out.append(text, copied, part[0]).append(unescaped(inline(text.substring(part[0], part[1]))));
      copied = part[1];
    }
    return out.toString().strip();
  }

  private static String markdown(String html) {
    StringBuilder out = new StringBuilder();
    int from = 0;
    for (int open = html.indexOf(PRE); open >= 0; open = html.indexOf(PRE, from)) {
      int close = html.indexOf(END_OF_PRE, open);
      if (close < 0) {
        break;
      }
      out.append(prose(html.substring(from, open)));
      String body = html.substring(open + PRE.length(), close).strip();
      String code = body.startsWith("{@code")
          ? body.substring("{@code".length(), end(body, 0))
          : unescaped(inline(body));
      out.append("\n\n```\n").append(code.stripIndent().strip()).append("\n```\n\n");
      from = close + END_OF_PRE.length();
    }
    return out.append(prose(html.substring(from))).toString().strip().replaceAll("\n{3,}", "\n\n");
  }

  /** Returns a text without elements of HTML, with paragraphs in one line each. */
  private static String prose(String html) {
    String text = inline(html)
        .replaceAll("\\s+", " ")
        .replaceAll("(?i) ?</?(p|ul|ol|dl|h[1-6]|table)( [^<>]*)?> ?", "\n\n")
        .replaceAll("(?i) ?<(li|dt|tr)( [^<>]*)?> ?", "\n- ")
        .replaceAll("(?i) ?<br */?> ?", "\n")
        .replaceAll("(?i)</?[a-z][^<>]*>", "")
        .replaceAll("\n{3,}", "\n\n")
        .replaceAll("(?m)^ +| +$", "");
    return unescaped(text);
  }

  private static String unescaped(String text) {
    return text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&nbsp;", " ")
        .replace("&#64;", "@")
        .replace("&amp;", "&");
  }

  /** Replaces the inline tags. */
  private static String inline(String text) {
    StringBuilder out = new StringBuilder();
    int at = 0;
    for (int start = text.indexOf("{@"); start >= 0; start = text.indexOf("{@", at)) {
      int end = end(text, start);
      out.append(text, at, start).append(replaced(text.substring(start + 2, end)));
      at = Math.min(end + 1, text.length());
    }
    return out.append(text.substring(at)).toString();
  }

  /** Returns the index of the brace that closes the tag, or the end of the text. */
  private static int end(String text, int start) {
    int depth = 0;
    for (int i = start; i < text.length(); i++) {
      char c = text.charAt(i);
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      if (depth == 0) {
        return i;
      }
    }
    return text.length();
  }

  /** Returns the text of an inline tag without its braces, such as {@code code int}. */
  private static String replaced(String tag) {
    Matcher parts = NAME.matcher(tag);
    if (!parts.matches()) {
      return "";
    }
    String body = parts.group(2).strip();
    return switch (parts.group(1)) {
      case "code" -> '`' + escaped(parts.group(2).stripTrailing()) + '`';
      case "literal" -> escaped(body);
      case "link", "linkplain" -> label(body);
      default -> body; // {@value X}, {@summary ...}, {@index ...}: the text of the tag
    };
  }

  /** Hides the signs of HTML in text that is none. */
  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private static String label(String link) {
    Matcher parts = Pattern.compile("(?s)([^\\s(]+(?:\\([^)]*\\))?)\\s*(.*)").matcher(link);
    if (!parts.matches()) {
      return link;
    }
    String reference = parts.group(1);
    return parts.group(2).isEmpty()
        ? '`'
            + (reference.startsWith("#") ? reference.substring(1) : reference.replace('#', '.'))
            + '`'
        : parts.group(2);
  }
}
