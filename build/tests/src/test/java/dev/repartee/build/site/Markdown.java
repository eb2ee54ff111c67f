package dev.repartee.build.site;

import java.util.ArrayList;
import java.util.List;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.ext.gfm.tables.TableCell;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.HeadingAnchorExtension;
import org.commonmark.ext.heading.anchor.IdGenerator;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Block;
import org.commonmark.node.Code;
import org.commonmark.node.CustomBlock;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Node;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/** Parses and writes pages. */
final class Markdown {
  private static final List<Extension> EXTENSIONS =
      List.of(TablesExtension.create(), HeadingAnchorExtension.create());
  private static final Parser PARSER = Parser.builder().extensions(EXTENSIONS).build();
  private static final HtmlRenderer HTML = HtmlRenderer.builder()
      .extensions(EXTENSIONS)
      .escapeHtml(true)
      .nodeRendererFactory(CodeBlock::new)
      .nodeRendererFactory(Box.Renderer::new)
      .build();

  private Markdown() {}

  /** A heading with the name of its anchor, which is the same on GitHub. */
  record Section(Heading heading, String title, String anchor) {}

  static Node parse(String text) {
    return PARSER.parse(text);
  }

  static String html(Node node) {
    node.accept(new AbstractVisitor() {
      @Override
      public void visit(CustomBlock block) {
        if (block instanceof TableBlock) {
          Box.around(Box.SCROLLED, block);
        } else {
          visitChildren(block);
        }
      }
    });
    return HTML.render(node);
  }

  /** Returns the text of a node on one line, without code blocks, pictures and the addresses of links. */
  static String text(Node node) {
    StringBuilder text = new StringBuilder();
    node.accept(new AbstractVisitor() {
      @Override
      public void visit(Text node) {
        text.append(node.getLiteral());
      }

      @Override
      public void visit(Code node) {
        text.append(node.getLiteral());
      }

      @Override
      protected void visitChildren(Node parent) {
        super.visitChildren(parent);
        text.append(parent instanceof Block || parent instanceof TableCell ? " " : "");
      }

      @Override
      public void visit(Image node) {}

      @Override
      public void visit(SoftLineBreak node) {
        text.append(' ');
      }
    });
    return text.toString().replaceAll("\\s+", " ").strip();
  }

  /** Returns the headings of a page, with the anchors that the renderer gives them. */
  static List<Section> sections(Node page) {
    List<Section> sections = new ArrayList<>();
    IdGenerator anchors = IdGenerator.builder().build();
    page.accept(new AbstractVisitor() {
      @Override
      public void visit(Heading heading) {
        String title = text(heading);
        sections.add(new Section(heading, title, anchors.generateId(title)));
      }
    });
    return sections;
  }

  static List<Node> children(Node parent) {
    List<Node> children = new ArrayList<>();
    for (Node child = parent.getFirstChild(); child != null; child = child.getNext()) {
      children.add(child);
    }
    return children;
  }

  static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }
}
