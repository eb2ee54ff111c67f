package dev.repartee.build;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.HeadingAnchorExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.NodeRenderer;
import org.commonmark.renderer.html.HtmlNodeRendererContext;
import org.commonmark.renderer.html.HtmlRenderer;
import org.commonmark.renderer.text.TextContentRenderer;
import org.jspecify.annotations.Nullable;

/**
 * Renders the Markdown pages of the repository as one static site, together with the Javadoc:
 * {@code ./mvnw -Psite package} writes {@code target/site}. The pages need no server and load
 * nothing from elsewhere.
 */
final class Site {
  /** The pages by their group in the navigation. */
  static final Map<String, List<String>> NAVIGATION = new LinkedHashMap<>();

  static {
    NAVIGATION.put("Start", List.of("README.md"));
    NAVIGATION.put(
        "Guides",
        List.of(
            "docs/language-server.md",
            "docs/language-tools.md",
            "docs/debugger-tools.md",
            "docs/acp.md",
            "docs/mcp-client.md",
            "docs/a2a.md",
            "docs/agents.md",
            "docs/plugins.md",
            "docs/http.md",
            "docs/secure-http.md",
            "docs/servlet.md",
            "docs/ethereum.md",
            "docs/streams.md",
            "docs/reconnect.md",
            "docs/durable-agents.md",
            "docs/bridge.md",
            "docs/scaling.md",
            "docs/layers.md",
            "docs/headers.md",
            "docs/transports.md",
            "docs/testing.md",
            "docs/recording.md",
            "docs/from-lsp4j.md",
            "docs/from-jsonrpc4j.md",
            "docs/native-image.md"));
    NAVIGATION.put(
        "Modules",
        List.of(
            "core/README.md",
            "binding/jackson/README.md",
            "transports/netty/README.md",
            "binding/validation/README.md",
            "protocols/envelopes/README.md",
            "tools/bridge/README.md",
            "transports/ssh/README.md",
            "transports/xmpp/README.md",
            "transports/broker/README.md",
            "transports/amqp/README.md",
            "transports/nats/README.md",
            "transports/zeromq/README.md",
            "protocols/mcp/README.md",
            "protocols/lsp/README.md",
            "protocols/dap/README.md",
            "protocols/acp/README.md",
            "protocols/mcp-auth/README.md",
            "protocols/mcp-lsp/README.md",
            "protocols/mcp-dap/README.md",
            "protocols/a2a/README.md",
            "protocols/a2a-jdbc/README.md",
            "agents/agents/README.md",
            "agents/durable/README.md",
            "tools/testkit/README.md",
            "tools/conformance/README.md",
            "tools/cli/README.md",
            "examples/mcp-everything/README.md",
            "examples/dap-script/README.md",
            "examples/a2a-agent/README.md",
            "examples/acp-agent/README.md",
            "examples/jsonrpc-trace-server/README.md"));
    NAVIGATION.put(
        "Promises and figures",
        List.of(
            "SECURITY.md",
            "docs/security.md",
            "docs/conformance.md",
            "docs/conformance-of-others.md",
            "docs/attacks.md",
            "docs/benchmarks.md",
            "docs/releasing.md",
            "CHANGELOG.md"));
    NAVIGATION.put(
        "Inside",
        List.of(
            "docs/architecture.md",
            "docs/concurrency.md",
            "CONTRIBUTING.md",
            "build/benchmarks/README.md",
            "build/fuzz/README.md"));
  }

  private static final Pattern SOURCE = Pattern.compile("(.*)/src/main/java/(.*)\\.java");
  private static final Pattern MODULE = Pattern.compile("module ([\\w.]+) \\{");

  private static final List<org.commonmark.Extension> EXTENSIONS =
      List.of(TablesExtension.create(), HeadingAnchorExtension.create());
  private static final Parser PARSER = Parser.builder().extensions(EXTENSIONS).build();
  private static final HtmlRenderer HTML = HtmlRenderer.builder()
      .extensions(EXTENSIONS)
      .escapeHtml(true)
      .nodeRendererFactory(Code::new)
      .build();
  private static final TextContentRenderer TEXT = TextContentRenderer.builder().build();

  private final Path root;
  private final Path output;
  private final String template = resource("page.html");
  private final Map<String, String> titles = new LinkedHashMap<>();

  /** Files besides the pages that pages link to, by their place in the site. */
  private final Map<String, Path> files = new LinkedHashMap<>();

  private Site(Path root, Path output) {
    this.root = root;
    this.output = output;
  }

  /**
   * Renders the pages and the Javadoc of the repository {@code args[0]} into {@code args[1]}. Ends
   * with status 1 and the reason on standard error if that fails.
   */
  public static void main(String[] args) {
    try {
      Path root = Path.of(args[0]);
      Path output = Path.of(args[1]);
      Set<String> pages = render(root, output);
      SiteJavadoc.write(root, output.resolve("api"), System.getProperty("java.class.path"));
      SiteJavadoc.checkLinks(output, pages);
      System.out.println("The site: " + output.resolve("index.html").toUri());
    } catch (IOException e) {
      System.err.println("The site was not rendered: " + e.getMessage());
      System.exit(1);
    }
  }

  /** Renders all pages; returns the paths of all written files in the site. */
  static Set<String> render(Path root, Path output) throws IOException {
    return new Site(root.toAbsolutePath(), output).render();
  }

  private Set<String> render() throws IOException {
    Set<String> written = new TreeSet<>();
    Map<String, Node> pages = new LinkedHashMap<>();
    for (String page : NAVIGATION.values().stream().flatMap(List::stream).toList()) {
      Node parsed = PARSER.parse(Files.readString(root.resolve(page)));
      pages.put(page, parsed);
      titles.put(page, page.equals("README.md") ? "Repartee" : title(parsed));
    }
    for (Map.Entry<String, Node> page : pages.entrySet()) {
      page.getValue().accept(new Links(page.getKey()));
      write(written, place(page.getKey()), html(page.getKey(), page.getValue()));
    }
    write(written, "site.css", resource("site.css"));
    for (Map.Entry<String, Path> file : files.entrySet()) {
      write(written, file.getKey(), Files.readString(file.getValue()));
    }
    return written;
  }

  private void write(Set<String> written, String place, String text) throws IOException {
    Path file = output.resolve(place);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    written.add(place);
  }

  private static String title(Node page) {
    for (Node child = page.getFirstChild(); child != null; child = child.getNext()) {
      if (child instanceof Heading heading && heading.getLevel() == 1) {
        return TEXT.render(heading).strip();
      }
    }
    throw new IllegalArgumentException("the page has no title: " + TEXT.render(page));
  }

  private String html(String page, Node content) {
    String body = HTML.render(content);
    return template
        .replace(
            "{title}",
            escaped(
                page.equals("README.md")
                    ? "Repartee: JSON-RPC 2.0 for Java"
                    : titles.get(page) + " - Repartee"))
        .replace("{root}", up(page))
        .replace("{navigation}", navigation(page))
        .replace("{contents}", contents(body))
        .replace("{body}", body);
  }

  private String navigation(String page) {
    StringBuilder html = new StringBuilder();
    NAVIGATION.forEach((group, pages) -> {
      html.append("<h2>").append(group).append("</h2>\n<ul>\n");
      for (String each : pages) {
        String here = each.equals(page) ? " aria-current=\"page\"" : "";
        String name = each.equals("README.md") ? "Overview" : titles.get(each);
        html.append("<li><a href=\"%s\"%s>%s</a></li>\n"
            .formatted(up(page) + place(each), here, escaped(name)));
      }
      if (group.equals("Start")) {
        html.append("<li><a href=\"%sapi/index.html\">Javadoc</a></li>\n".formatted(up(page)));
      }
      html.append("</ul>\n");
    });
    return html.toString();
  }

  /** Returns links to the sections of a page that has at least three. */
  private static String contents(String body) {
    List<String> links = Pattern.compile("(?s)<h2 id=\"([^\"]+)\">(.*?)</h2>")
        .matcher(body)
        .results()
        .map(h -> "<li><a href=\"#%s\">%s</a></li>"
            .formatted(h.group(1), h.group(2).replaceAll("</?a[^>]*>", "")))
        .toList();
    return links.size() < 3
        ? ""
        : "<h2>On this page</h2>\n<ul>\n" + String.join("\n", links) + "\n</ul>";
  }

  /** Returns the place in the site of a page or another file of the repository. */
  private static String place(String file) {
    return file.endsWith(".md")
        ? file.replaceAll("README\\.md$", "index.md").replaceAll("\\.md$", ".html")
        : file.endsWith(".svg") ? file : file + ".txt";
  }

  /** Returns the way from a page to the root of the site. */
  private static String up(String page) {
    return "../".repeat((int) page.chars().filter(c -> c == '/').count());
  }

  /** Lets links and images refer to files of the site in place of files of the repository. */
  private final class Links extends AbstractVisitor {
    private final String page;

    Links(String page) {
      this.page = page;
    }

    @Override
    public void visit(Link link) {
      link.setDestination(inSite(link.getDestination()));
      visitChildren(link);
    }

    @Override
    public void visit(Image image) {
      image.setDestination(inSite(image.getDestination()));
    }

    private String inSite(String destination) {
      URI uri = URI.create(destination);
      if (uri.isAbsolute() || uri.getPath().isEmpty()) {
        return destination;
      }
      String target = URI.create(page).resolve(uri.getPath()).getPath();
      Path file = root.resolve(target);
      if (!Files.isRegularFile(file)) {
        throw new IllegalArgumentException(
            page + " links to " + destination + ", which is no file");
      }
      String api = inJavadoc(target);
      if (api == null && !titles.containsKey(target)) {
        if (target.endsWith(".md")) {
          throw new IllegalArgumentException(
              page + " links to " + destination + ", which is not in Site.NAVIGATION");
        }
        files.put(place(target), file);
      }
      String section = uri.getFragment() == null ? "" : "#" + uri.getFragment();
      return up(page) + (api == null ? place(target) : api) + section;
    }

    /** Returns the page of the Javadoc for a source file of an exported package; null for others. */
    private @Nullable String inJavadoc(String file) {
      Matcher source = SOURCE.matcher(file);
      if (!source.matches()) {
        return null;
      }
      Path descriptor = root.resolve(source.group(1)).resolve("src/main/java/module-info.java");
      if (!Files.exists(descriptor)) {
        return null;
      }
      String text = read(descriptor);
      Matcher module = MODULE.matcher(text);
      String type = source.group(2);
      String exports =
          "exports " + type.substring(0, type.lastIndexOf('/')).replace('/', '.') + ";";
      return module.find() && text.contains(exports)
          ? "api/" + module.group(1) + "/" + type + ".html"
          : null;
    }
  }

  /** Renders blocks of code, with marks for comments, strings, annotations and keywords. */
  private record Code(HtmlNodeRendererContext context) implements NodeRenderer {
    private static final Set<String> LANGUAGES =
        Set.of("java", "kotlin", "ts", "js", "json", "lua");
    private static final Pattern TOKEN = Pattern.compile("(?<comment>//[^\\n]*|/\\*(?s:.*?)\\*/)"
        + "|(?<string>\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\\\n])*')"
        + "|(?<annotation>@\\w+)"
        + "|\\b(?<keyword>abstract|boolean|byte|case|catch|char|class|const|default|do|double|else"
        + "|enum|extends|false|final|finally|float|for|function|if|implements|import|instanceof|int"
        + "|interface|long|new|null|package|permits|private|protected|public|record|return|sealed"
        + "|static|super|switch|synchronized|this|throw|throws|true|try|val|var|void|volatile"
        + "|while)\\b");

    @Override
    public Set<Class<? extends Node>> getNodeTypes() {
      return Set.of(FencedCodeBlock.class);
    }

    @Override
    public void render(Node node) {
      FencedCodeBlock block = (FencedCodeBlock) node;
      String language = Objects.requireNonNullElse(block.getInfo(), "");
      String code = block.getLiteral();
      context.getWriter().line();
      context
          .getWriter()
          .raw("<pre tabindex=\"0\"><code>"
              + (LANGUAGES.contains(language) ? marked(code) : escaped(code)) + "</code></pre>");
      context.getWriter().line();
    }

    private static String marked(String code) {
      StringBuilder html = new StringBuilder();
      Matcher token = TOKEN.matcher(code);
      int at = 0;
      while (token.find()) {
        html.append(escaped(code.substring(at, token.start())));
        String kind = Stream.of("comment", "string", "annotation", "keyword")
            .filter(each -> token.group(each) != null)
            .findFirst()
            .orElseThrow();
        html.append("<span class=\"%s\">%s</span>".formatted(kind, escaped(token.group())));
        at = token.end();
      }
      return html.append(escaped(code.substring(at))).toString();
    }
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String resource(String name) {
    try (InputStream in = Site.class.getResourceAsStream("/site/" + name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
