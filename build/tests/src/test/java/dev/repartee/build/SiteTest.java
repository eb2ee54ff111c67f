package dev.repartee.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Renders the {@link Site} and checks its pages against each other. */
@Tag("any-jdk")
class SiteTest {
  private static final Path ROOT = Path.of(System.getProperty("repartee.root"));
  private static final Pattern REFERENCE = Pattern.compile("(?:href|src)=\"([^\"]*)\"");

  @TempDir
  static Path site;

  private static Set<String> files;

  @BeforeAll
  static void render() throws IOException {
    files = Site.render(ROOT, site);
  }

  private static Stream<String> pages() {
    return files.stream().filter(file -> file.endsWith(".html"));
  }

  private static List<String> references(String page) throws IOException {
    return REFERENCE
        .matcher(Files.readString(site.resolve(page)))
        .results()
        .map((MatchResult found) -> found.group(1))
        .toList();
  }

  @Test
  void everyPageOfTheRepositoryIsInTheNavigationOnce() throws IOException {
    List<String> named = Site.NAVIGATION.values().stream().flatMap(List::stream).toList();
    Set<String> present = new TreeSet<>();
    for (Path file : SourceFiles.below(ROOT, 4, ".md")) {
      present.add(ROOT.relativize(file).toString());
    }
    assertThat(named).doesNotHaveDuplicates();
    assertThat(named)
        .as("the pages of Site.NAVIGATION, which every page of the repository belongs to")
        .containsExactlyInAnyOrderElementsOf(present);
  }

  @Test
  void everyLinkBetweenPagesLeadsToAFileAndASection() throws IOException {
    Set<String> broken = new TreeSet<>();
    for (String page : pages().toList()) {
      for (String reference : references(page)) {
        URI uri = URI.create(reference);
        if (uri.isAbsolute()) {
          continue;
        }
        String target = uri.getPath().isEmpty()
            ? page
            : URI.create(page).resolve(uri.getPath()).getPath();
        if (target.startsWith("api/")) {
          continue; // the Javadoc is not built here
        }
        String section = uri.getFragment();
        if (!files.contains(target)
            || section != null
                && !Files.readString(site.resolve(target)).contains(" id=\"" + section + "\"")) {
          broken.add(page + " -> " + reference);
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void noPageLoadsAnythingFromElsewhere() throws IOException {
    for (String page : pages().toList()) {
      String html = Files.readString(site.resolve(page));
      assertThat(html).as(page).doesNotContain("<script", "src=\"http", "@import", "url(");
      assertThat(html).as(page).doesNotContainPattern("<link[^>]*href=\"http");
    }
    assertThat(Files.readString(site.resolve("site.css"))).doesNotContain("url(", "@import");
  }
}
