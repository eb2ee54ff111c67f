package dev.repartee.build.site;

import java.util.List;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.ext.gfm.tables.TableBody;
import org.commonmark.ext.gfm.tables.TableRow;
import org.commonmark.node.BulletList;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.ListItem;
import org.commonmark.node.Node;
import org.commonmark.node.Paragraph;
import org.commonmark.node.StrongEmphasis;
import org.commonmark.node.Text;

/**
 * Arranges the README as the start page of the site, which repeats none of its text:
 *
 * <ul>
 *   <li>the title and the first paragraph become the head of the page, with links to the first
 *       section, to all pages and to the Javadoc, and with the first picture beside them;
 *   <li>a list whose items all begin with bold text becomes a grid of reasons;
 *   <li>a table whose rows all begin with bold text becomes a grid of cards;
 *   <li>two blocks of Java in sequence stand side by side.
 * </ul>
 */
final class Landing {
  private Landing() {}

  static void arrange(Node page) {
    head(page);
    for (Node node : Markdown.children(page)) {
      if (node instanceof BulletList list && beginBold(Markdown.children(list))) {
        Box.around("reasons", list);
      } else if (node instanceof TableBlock table) {
        cards(table);
      } else if (isJava(node) && node.getParent() == page && isJava(node.getNext())) {
        Box.around("pair", node, node.getNext());
      }
    }
  }

  private static void head(Node page) {
    List<Node> children = Markdown.children(page);
    Node title = children.get(0);
    Node tagline = children.stream()
        .filter(node -> node instanceof Paragraph && !Markdown.text(node).isEmpty())
        .findFirst()
        .orElseThrow();
    Paragraph ways = new Paragraph();
    Markdown.sections(page).stream()
        .filter(section -> section.heading().getLevel() == 2)
        .limit(1)
        .forEach(section -> ways.appendChild(link("#" + section.anchor(), "Get started")));
    ways.appendChild(link("docs/index.html", "Guides"));
    ways.appendChild(link("api/index.html", "Javadoc"));
    Box head = Box.around("head", Box.around("intro", title, tagline, ways));
    children.stream().filter(Landing::isPicture).limit(1).forEach(head::appendChild);
  }

  private static Link link(String target, String text) {
    Link link = new Link(target, null);
    link.appendChild(new Text(text));
    return link;
  }

  /** Replaces a table of cards by a list of them. */
  private static void cards(TableBlock table) {
    List<Node> rows = Markdown.children(table).stream()
        .filter(TableBody.class::isInstance)
        .flatMap(body -> Markdown.children(body).stream())
        .toList();
    if (!beginBold(rows)) {
      return;
    }
    BulletList cards = new BulletList();
    for (Node row : rows) {
      ListItem card = new ListItem();
      for (Node cell : Markdown.children((TableRow) row)) {
        Paragraph text = new Paragraph();
        Markdown.children(cell).forEach(text::appendChild);
        card.appendChild(text);
      }
      cards.appendChild(card);
    }
    table.insertBefore(cards);
    table.unlink();
    Box.around("cards", cards);
  }

  private static boolean isPicture(Node node) {
    return node instanceof Paragraph
        && node.getFirstChild() instanceof Image
        && node.getFirstChild() == node.getLastChild();
  }

  private static boolean isJava(Node node) {
    return node instanceof FencedCodeBlock block && CodeBlock.language(block).equals("java");
  }

  /** Returns whether each of these items or rows begins with bold text. */
  private static boolean beginBold(List<Node> nodes) {
    return !nodes.isEmpty()
        && nodes.stream().allMatch(node -> {
          Node first = node.getFirstChild();
          return first != null && first.getFirstChild() instanceof StrongEmphasis;
        });
  }
}
