package dev.repartee.build.site;

import dev.repartee.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.commonmark.node.Heading;
import org.commonmark.node.Node;

/**
 * The text of the pages by their sections, and the names of the types in the Javadoc, for the search
 * in {@code site.js}. The index is a script, since a page from {@code file:} cannot fetch data.
 */
final class SearchIndex {
  private final List<List<Object>> pages = new ArrayList<>();

  /** Adds a page. The text before its first section has an empty anchor; code is left out. */
  void add(String place, String name, String group, Node content) {
    List<List<String>> sections = new ArrayList<>();
    List<Markdown.Section> headings = Markdown.sections(content);
    String title = "";
    String anchor = "";
    StringBuilder text = new StringBuilder();
    for (Node node : Markdown.children(content)) {
      if (node instanceof Heading heading) {
        sections.add(List.of(anchor, title, text.toString()));
        text.setLength(0);
        Markdown.Section section = headings.stream()
            .filter(each -> each.heading() == heading)
            .findFirst()
            .orElseThrow();
        anchor = heading.getLevel() == 1 ? "" : section.anchor();
        title = heading.getLevel() == 1 ? "" : section.title();
      } else {
        text.append(text.isEmpty() ? "" : " ").append(Markdown.text(node));
      }
    }
    sections.add(List.of(anchor, title, text.toString()));
    sections.removeIf(section -> section.get(1).isEmpty() && section.get(2).isEmpty());
    pages.add(List.of(place, name, group, sections));
  }

  /** Returns the script. */
  String script(Path api) throws IOException {
    return "searchIndex(%s, %s);\n".formatted(Json.of(pages), Json.of(types(api)));
  }

  /** Returns the pages of the types in the Javadoc, as far as it was written. */
  private static List<String> types(Path api) throws IOException {
    if (!Files.isDirectory(api)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(api)) {
      return files
          .map(file -> api.relativize(file).toString())
          .filter(file -> file.matches("dev\\.repartee.*/[A-Z][\\w.]*\\.html"))
          .sorted()
          .toList();
    }
  }
}
