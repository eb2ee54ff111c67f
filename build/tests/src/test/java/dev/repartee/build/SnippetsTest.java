package dev.repartee.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Checks that every Java block of a Markdown page is part of a source that a test runs: in the
 * package {@code snippets}, in {@code examples/guides}, {@code examples/quarkus-shop} or {@code
 * examples/spring-shop}. A block
 * may begin with some of the imports of the source.
 */
@Tag("any-jdk")
class SnippetsTest {
  private static final Path ROOT = Path.of(System.getProperty("repartee.root"));
  private static final List<Path> SOURCES = List.of(
      ROOT.resolve("build/tests/src/test/java/dev/repartee/build/snippets"),
      ROOT.resolve("examples/guides/src"),
      ROOT.resolve("examples/quarkus-shop/src"),
      ROOT.resolve("examples/spring-shop/src"));
  private static final int DEPTH = 16;
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\\R(.*?)^```");
  private static final Pattern IMPORT = Pattern.compile("(?m)^import ([^;]*);");
  private static final Pattern WORD = Pattern.compile("\\w+");

  /** The JDK, and code that is a block of a page. */
  private static final Pattern NOT_SHOWN =
      Pattern.compile("^(static )?(java|dev\\.repartee\\.(build|examples))\\.");

  @Test
  void everyJavaBlockOfAPageStandsInASourceThatIsRun() throws IOException {
    List<String> sources = sources().stream().map(SnippetsTest::bare).toList();
    List<String> missing = new ArrayList<>();
    int blocks = 0;
    for (Path page : SourceFiles.below(ROOT, DEPTH, ".md")) {
      for (Matcher block = BLOCK.matcher(Files.readString(page)); block.find(); blocks++) {
        List<String> parts = parts(block.group(1));
        if (sources.stream().noneMatch(source -> parts.stream().allMatch(source::contains))) {
          missing.add(ROOT.relativize(page) + ":\n" + block.group(1));
        }
      }
    }
    assertThat(blocks).isPositive();
    assertThat(missing).as("blocks that are in no source under " + SOURCES).isEmpty();
  }

  /** A reader copies the first block, and cannot guess the packages. */
  @Test
  void theFirstBlockOfAGuideShowsItsImports() throws IOException {
    List<String> sources = sources();
    List<String> missing = new ArrayList<>();
    for (Path page : SourceFiles.below(ROOT.resolve("docs"), 1, ".md")) {
      Matcher block = BLOCK.matcher(Files.readString(page));
      if (block.find()) {
        Set<String> shown = imports(block.group(1));
        if (shown.isEmpty()) {
          missing.add(page.getFileName() + ": all");
        }
        names(block.group(1), sources)
            .filter(name -> !isShown(name, shown))
            .forEach(name -> missing.add(page.getFileName() + ": " + name));
      }
    }
    assertThat(missing).isEmpty();
  }

  /** A reader can guess the packages of the JDK, but not the packages of libraries. */
  @Test
  void aBlockShowsTheImportsThatNoEarlierBlockOfItsPageShows() throws IOException {
    List<String> sources = sources();
    List<String> missing = new ArrayList<>();
    for (Path page : SourceFiles.below(ROOT, DEPTH, ".md")) {
      Set<String> shown = new HashSet<>();
      for (Matcher block = BLOCK.matcher(Files.readString(page)); block.find(); ) {
        shown.addAll(imports(block.group(1)));
        names(block.group(1), sources)
            .filter(name -> !NOT_SHOWN.matcher(name).find() && !isShown(name, shown))
            .forEach(name -> missing.add(ROOT.relativize(page) + ": " + name));
      }
    }
    assertThat(missing).isEmpty();
  }

  /** Returns the names that a block uses and that its source imports. */
  private static Stream<String> names(String block, List<String> sources) {
    String code = IMPORT.matcher(block).replaceAll("");
    Set<String> words = found(WORD, code, 0);
    return sources.stream()
        .filter(source -> bare(source).contains(bare(code)))
        .limit(1)
        .flatMap(source -> imports(source).stream())
        .flatMap(each -> words.stream()
            .map(owner(each)::concat)
            .filter(name -> each.endsWith("*") ? isClass(name) : each.equals(name)));
  }

  private static boolean isShown(String name, Set<String> shown) {
    return shown.contains(name) || shown.contains(owner(name) + "*");
  }

  /** Returns the part of a name up to its last dot. */
  private static String owner(String name) {
    return name.substring(0, name.lastIndexOf('.') + 1);
  }

  /** Returns whether a class is on the class path, which lacks the libraries of the guides. */
  private static boolean isClass(String name) {
    return ClassLoader.getSystemResource(name.replace('.', '/') + ".class") != null;
  }

  private static Set<String> imports(String code) {
    return found(IMPORT, code, 1);
  }

  private static Set<String> found(Pattern pattern, String code, int group) {
    return pattern
        .matcher(code)
        .results()
        .map(each -> each.group(group))
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  private static List<String> sources() throws IOException {
    List<String> sources = new ArrayList<>();
    for (Path folder : SOURCES) {
      for (Path source : SourceFiles.below(folder, DEPTH, ".java")) {
        sources.add(Files.readString(source));
      }
    }
    return sources;
  }

  /** Returns the imports of a block, and the rest of it. */
  private static List<String> parts(String block) {
    List<String> parts = new ArrayList<>();
    IMPORT.matcher(block).results().forEach(each -> parts.add(bare(each.group())));
    String code = bare(IMPORT.matcher(block).replaceAll(""));
    parts.add(code.isEmpty() ? "no code" : code); // which no source without spaces contains
    return parts;
  }

  /** Removes white space, where the formatter and a page may differ. */
  private static String bare(String code) {
    return code.replaceAll("\\s", "");
  }
}
