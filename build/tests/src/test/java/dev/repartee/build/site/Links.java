package dev.repartee.build.site;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.jspecify.annotations.Nullable;

/** Links of pages: from files of the repository to files of the site. */
final class Links {
  private static final Pattern SOURCE = Pattern.compile("(.*)/src/main/java/(.*)\\.java");
  private static final Pattern MODULE = Pattern.compile("module ([\\w.]+) \\{");
  private static final Pattern PICTURE = Pattern.compile(".*\\.(svg|png)");
  private static final Pattern REFERENCE = Pattern.compile("\\b(?:href|src)=\"([^\"]*)\"");
  private static final Pattern ANCHOR = Pattern.compile("\\bid=\"([^\"]*)\"");

  private final Path root;

  /** Files besides the pages that pages link to, by their place in the site. */
  private final Map<String, Path> files = new TreeMap<>();

  Links(Path root) {
    this.root = root;
  }

  /** Returns the place in the site of a page or another file of the repository. */
  static String place(String file) {
    return file.endsWith(".md")
        ? file.replaceAll("README\\.md$", "index.md").replaceAll("\\.md$", ".html")
        : PICTURE.matcher(file).matches() ? file : file + ".txt";
  }

  /** Returns the way from a page to the root of the site. */
  static String up(String page) {
    return "../".repeat((int) page.chars().filter(c -> c == '/').count());
  }

  /** Returns the files besides the pages that the moved pages link to, by their place in the site. */
  Map<String, Path> files() {
    return files;
  }

  /** Lets the links and pictures of a page refer to files of the site. */
  void move(String page, Node content, Set<String> pages) {
    content.accept(new AbstractVisitor() {
      @Override
      public void visit(Link link) {
        link.setDestination(inSite(page, link.getDestination(), pages));
        visitChildren(link);
      }

      @Override
      public void visit(Image image) {
        image.setDestination(inSite(page, image.getDestination(), pages));
      }
    });
  }

  private String inSite(String page, String destination, Set<String> pages) {
    URI uri = URI.create(destination);
    if (uri.isAbsolute() || uri.getPath().isEmpty()) {
      return destination;
    }
    String target = URI.create(page).resolve(uri.getPath()).getPath();
    Path file = root.resolve(target);
    if (!Files.isRegularFile(file)) {
      throw new IllegalArgumentException(page + " links to " + destination + ", which is no file");
    }
    String api = inJavadoc(target);
    if (target.endsWith(".md") && !pages.contains(target)) {
      throw new IllegalArgumentException(
          page + " links to " + destination + ", which " + Navigation.INDEX + " does not list");
    }
    if (api == null && !pages.contains(target)) {
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
    String exports = "exports " + type.substring(0, type.lastIndexOf('/')).replace('/', '.') + ";";
    return module.find() && text.contains(exports)
        ? "api/" + module.group(1) + "/" + type + ".html"
        : null;
  }

  /**
   * Returns the links and pictures of the pages in a site that lead to no file or to no section.
   * Those into a Javadoc that was not written are not checked.
   *
   * @param pages the files of the site, relative to its folder
   */
  static Set<String> broken(Path site, Set<String> pages) {
    boolean hasJavadoc = Files.isDirectory(site.resolve("api"));
    Map<String, Set<String>> anchors = new TreeMap<>();
    Set<String> broken = new TreeSet<>();
    for (String page : pages) {
      if (!page.endsWith(".html")) {
        continue;
      }
      REFERENCE.matcher(read(site.resolve(page))).results().forEach(found -> {
        URI uri = URI.create(found.group(1));
        String path = uri.getPath();
        String target = path == null || path.isEmpty()
            ? page
            : URI.create(page).resolve(path).getPath();
        if (uri.isAbsolute() || target.startsWith("api/") && !hasJavadoc) {
          return;
        }
        Path file = site.resolve(target);
        String section = uri.getFragment();
        if (!Files.isRegularFile(file)
            || section != null
                && !anchors.computeIfAbsent(target, each -> anchors(file)).contains(section)) {
          broken.add(page + " -> " + found.group(1));
        }
      });
    }
    return broken;
  }

  private static Set<String> anchors(Path page) {
    Set<String> anchors = new TreeSet<>();
    ANCHOR.matcher(read(page)).results().forEach(found -> anchors.add(found.group(1)));
    return anchors;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
