package dev.repartee.build.site;

import static dev.repartee.build.site.Markdown.escaped;

import dev.repartee.build.site.Navigation.Entry;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
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
import java.util.stream.Collectors;
import org.commonmark.node.Node;
import org.commonmark.node.Paragraph;

/**
 * Renders the Markdown pages of the repository as one static site, together with the Javadoc:
 * {@code ./mvnw -Psite package} writes {@code target/site}. The pages need no server and load
 * nothing from elsewhere.
 */
final class Site {
  private static final Pattern VERSION = Pattern.compile("(?m)^  <version>(.*)</version>$");
  private static final int FEWEST_SECTIONS = 2;

  private final Path root;
  private final Path output;
  private final Links links;
  private final Navigation navigation;
  private final String template;
  private final SearchIndex index = new SearchIndex();
  private final Set<String> written = new TreeSet<>();

  private Site(Path root, Path output) throws IOException {
    this.root = root;
    this.output = output;
    links = new Links(root);
    navigation = new Navigation(Markdown.parse(Files.readString(root.resolve(Navigation.INDEX))));
    Matcher version = VERSION.matcher(Files.readString(root.resolve("pom.xml")));
    template =
        resource("page.html").replace("{version}", version.find() ? escaped(version.group(1)) : "");
  }

  /**
   * Renders the pages and the Javadoc of the repository {@code args[0]} into {@code args[1]}. Ends
   * with status 1 and the reason on standard error if that fails, or if a link leads nowhere.
   */
  public static void main(String[] args) {
    try {
      Path root = Path.of(args[0]);
      Path output = Path.of(args[1]);
      Javadoc.write(root, output.resolve("api"), System.getProperty("java.class.path"));
      Set<String> broken = Links.broken(output, render(root, output));
      if (!broken.isEmpty()) {
        throw new IOException("links without a target: " + broken);
      }
      System.out.println("The site: " + output.resolve("index.html").toUri());
    } catch (IOException | IllegalArgumentException e) {
      System.err.println("The site was not rendered: " + e.getMessage());
      System.exit(1);
    }
  }

  /** Renders all pages; returns the paths of all written files in the site. */
  static Set<String> render(Path root, Path output) throws IOException {
    return new Site(root.toAbsolutePath(), output).render();
  }

  private Set<String> render() throws IOException {
    Set<String> files = Set.copyOf(navigation.files());
    for (Entry page : navigation.entries()) {
      Node content = Markdown.parse(Files.readString(root.resolve(page.file())));
      String place = Links.place(page.file());
      index.add(place, page.name(), page.group(), content);
      links.move(page.file(), content, files);
      write(place, page.file().equals(Navigation.START) ? start(content) : guide(page, content));
    }
    write("404.html", notFound());
    write("site.css", resource("site.css"));
    write("site.js", resource("site.js"));
    write("logo.svg", resource("logo.svg"));
    write("search-index.js", index.script(output.resolve("api")));
    for (Map.Entry<String, Path> file : links.files().entrySet()) {
      write(file.getKey(), Files.readAllBytes(file.getValue()));
    }
    return written;
  }

  private void write(String place, String text) throws IOException {
    write(place, text.getBytes(StandardCharsets.UTF_8));
  }

  private void write(String place, byte[] content) throws IOException {
    Path file = output.resolve(place);
    Files.createDirectories(file.getParent());
    Files.write(file, content);
    written.add(place);
  }

  private String start(Node content) {
    String description = description(content);
    Landing.arrange(content);
    return page(Navigation.START, "start", "Repartee: JSON-RPC 2.0 for Java", description)
        .replace("{contents}", "")
        .replace("{turn}", "")
        .replace("{body}", Markdown.html(content));
  }

  private String guide(Entry page, Node content) {
    String group =
        page.group().isEmpty() ? "" : "<p class=\"group\">" + escaped(page.group()) + "</p>\n";
    return page(page.file(), "guide", page.name() + " - Repartee", description(content))
        .replace("{contents}", contents(content))
        .replace("{turn}", turn(page))
        .replace("{body}", group + Markdown.html(content));
  }

  /** Returns the page for addresses that lead nowhere. It is shown at any address, so it loads nothing. */
  private String notFound() {
    return page("404.html", "start", "Page not found - Repartee", "")
        .replace(
            "<link rel=\"stylesheet\" href=\"site.css\">",
            "<style>" + resource("site.css") + "</style>")
        .replace(
            "<script src=\"site.js\"></script>", "<script>" + resource("site.js") + "</script>")
        .replace("{contents}", "")
        .replace("{turn}", "")
        .replace("{body}", resource("404.html"));
  }

  private String page(String file, String kind, String title, String description) {
    return template
        .replace("{kind}", kind)
        .replace("{title}", escaped(title))
        .replace("{description}", escaped(description))
        .replace("{navigation}", navigation(file))
        .replace("{root}", Links.up(file));
  }

  /** Returns the first paragraph of a page. */
  private static String description(Node content) {
    return Markdown.children(content).stream()
        .filter(Paragraph.class::isInstance)
        .map(Markdown::text)
        .filter(text -> !text.isEmpty())
        .findFirst()
        .orElse("");
  }

  /** Returns links to all pages by their groups; only the group of the page itself is open. */
  private String navigation(String file) {
    Map<String, List<Entry>> groups = navigation.entries().stream()
        .collect(Collectors.groupingBy(Entry::group, LinkedHashMap::new, Collectors.toList()));
    StringBuilder html = new StringBuilder();
    groups.forEach((group, entries) -> {
      String list = entries.stream()
          .map(each -> "<li%s><a href=\"{root}%s\"%s>%s</a></li>\n"
              .formatted(
                  each.isPart() ? " class=\"part\"" : "",
                  Links.place(each.file()),
                  each.file().equals(file) ? " aria-current=\"page\"" : "",
                  escaped(each.label())))
          .collect(Collectors.joining("", "<ul>\n", "</ul>\n"));
      boolean isOpen = entries.stream().anyMatch(each -> each.file().equals(file));
      html.append(
          group.isEmpty()
              ? list.replace(
                  "</ul>", "<li><a href=\"{root}api/index.html\">Javadoc</a></li>\n</ul>")
              : "<details%s><summary>%s</summary>\n%s</details>\n"
                  .formatted(isOpen ? " open" : "", escaped(group), list));
    });
    return html.toString();
  }

  /** Returns links to the sections of a page that has several. */
  private static String contents(Node content) {
    List<String> sections = Markdown.sections(content).stream()
        .filter(section -> section.heading().getLevel() == 2)
        .map(section -> "<li><a href=\"#%s\">%s</a></li>\n"
            .formatted(section.anchor(), escaped(section.title())))
        .toList();
    return sections.size() < FEWEST_SECTIONS
        ? ""
        : "<nav class=\"contents\" aria-labelledby=\"contents\">\n<h2 id=\"contents\">On this page</h2>\n<ul>\n"
            + String.join("", sections) + "</ul>\n</nav>\n";
  }

  /** Returns links to the page before and after this one. */
  private String turn(Entry page) {
    int at = navigation.entries().indexOf(page);
    return "<nav class=\"turn\" aria-label=\"Previous and next page\">\n"
        + turn(page, at - 1, "prev", "Previous")
        + turn(page, at + 1, "next", "Next") + "</nav>\n";
  }

  private String turn(Entry page, int to, String rel, String label) {
    if (to < 0 || to >= navigation.entries().size()) {
      return "";
    }
    Entry target = navigation.entries().get(to);
    return "<a rel=\"%s\" href=\"%s\"><span>%s</span> %s</a>\n"
        .formatted(
            rel, Links.up(page.file()) + Links.place(target.file()), label, escaped(target.name()));
  }

  static String resource(String name) {
    try (InputStream in = Site.class.getResourceAsStream("/site/" + name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
