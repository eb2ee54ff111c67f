package dev.repartee.openrpc.generate;

import java.util.List;

/** The notation of a page. Inline methods return text in the notation; the others add blocks. */
interface Markup {
  /** Returns text in Markdown as one line. */
  String text(String markdown);

  String code(String text);

  /** Returns a link within the page; the text is in the notation. */
  String link(String text, String anchor);

  void heading(int level, String anchor, String text);

  /** Adds paragraphs in Markdown. */
  void paragraphs(String markdown);

  /** Adds a paragraph that is in the notation already. */
  void paragraph(String inline);

  /** Adds a block of code. */
  void block(String language, String code);

  /** Adds a list of items in the notation. */
  void list(List<String> items);

  /** Adds a table with cells in the notation. */
  void table(List<String> head, List<List<String>> rows);

  /** Starts and ends the table of contents. */
  void contents(boolean start);

  /** Returns the page. */
  String page();
}
