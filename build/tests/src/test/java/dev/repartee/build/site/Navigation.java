package dev.repartee.build.site;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.BulletList;
import org.commonmark.node.Heading;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Text;

/**
 * The order of the pages. It comes from {@value #INDEX}: each heading of level 2 begins a group, and
 * each link in a list below it adds a page. A link after a colon belongs to the first page of its
 * list item: in "[Bridges](bridge.md): two transports, with [module](...)", the second page is called
 * "Bridges: module".
 */
final class Navigation {
  /** The page with all others. It leads to {@code README.md}, the start, without a link. */
  static final String INDEX = "docs/README.md";

  /** The start of the site. */
  static final String START = "README.md";

  private final List<Entry> entries = new ArrayList<>();

  /**
   * A page.
   *
   * @param file the Markdown file, relative to the root of the repository
   * @param label its name below its group, or below the page that it belongs to
   * @param name its name without that context
   * @param isPart whether it belongs to the page before it
   */
  record Entry(String group, String file, String label, String name, boolean isPart) {}

  /**
   * Reads the order of the pages from the parsed index.
   *
   * @throws IllegalArgumentException if a page is listed twice
   */
  Navigation(Node index) {
    entries.add(new Entry("", START, "Overview", "Overview", false));
    entries.add(new Entry("", INDEX, "All pages", "All pages", false));
    String group = "";
    for (Node node = index.getFirstChild(); node != null; node = node.getNext()) {
      if (node instanceof Heading heading && heading.getLevel() == 2) {
        group = Markdown.text(heading);
      } else if (node instanceof BulletList list && !group.isEmpty()) {
        for (Node item = list.getFirstChild(); item != null; item = item.getNext()) {
          item.accept(new Reader(group));
        }
      }
    }
    List<String> files = files();
    if (files.stream().distinct().count() < files.size()) {
      throw new IllegalArgumentException(INDEX + " lists a page twice: " + files);
    }
  }

  /** Reads the links of a list item. */
  private final class Reader extends AbstractVisitor {
    private final String group;
    private final int first = entries.size();
    private boolean isPart;

    Reader(String group) {
      this.group = group;
    }

    @Override
    public void visit(Text text) {
      isPart |= entries.size() > first && text.getLiteral().contains(":");
    }

    @Override
    public void visit(Link link) {
      URI uri = URI.create(link.getDestination());
      if (uri.isAbsolute() || uri.getFragment() != null) {
        return; // not a page, but a place on a page
      }
      String label = capitalized(Markdown.text(link));
      String name =
          isPart ? entries.get(first).name() + ": " + label.toLowerCase(Locale.ROOT) : label;
      entries.add(new Entry(group, URI.create(INDEX).resolve(uri).getPath(), label, name, isPart));
    }
  }

  /** Returns the pages in order. */
  List<Entry> entries() {
    return entries;
  }

  /** Returns the files of the pages in order. */
  List<String> files() {
    return entries.stream().map(Entry::file).toList();
  }

  private static String capitalized(String text) {
    return text.equals("repartee") // a command
        ? text
        : Character.toUpperCase(text.charAt(0)) + text.substring(1);
  }
}
