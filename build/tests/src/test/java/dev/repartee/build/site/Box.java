package dev.repartee.build.site;

import java.util.Set;
import org.commonmark.node.CustomBlock;
import org.commonmark.node.Node;
import org.commonmark.renderer.NodeRenderer;
import org.commonmark.renderer.html.HtmlNodeRendererContext;

/** A part of a page that Markdown has no notation for: a {@code div} with a class for the style sheet. */
final class Box extends CustomBlock {
  /** The style of a box that scrolls sideways on a narrow screen, also by keys. */
  static final String SCROLLED = "scrolled";

  private final String style;

  Box(String style) {
    this.style = style;
  }

  /** Puts a new box around nodes, at the place of the first of them. */
  static Box around(String style, Node first, Node... others) {
    Box box = new Box(style);
    first.insertBefore(box);
    box.appendChild(first);
    for (Node other : others) {
      box.appendChild(other);
    }
    return box;
  }

  /** Writes the boxes. */
  record Renderer(HtmlNodeRendererContext context) implements NodeRenderer {
    @Override
    public Set<Class<? extends Node>> getNodeTypes() {
      return Set.of(Box.class);
    }

    @Override
    public void render(Node node) {
      context.getWriter().line();
      String style = ((Box) node).style;
      context
          .getWriter()
          .raw("<div class=\"" + style + "\"" + (style.equals(SCROLLED) ? " tabindex=\"0\"" : "")
              + ">");
      for (Node child = node.getFirstChild(); child != null; child = child.getNext()) {
        context.render(child);
      }
      context.getWriter().raw("</div>");
      context.getWriter().line();
    }
  }
}
