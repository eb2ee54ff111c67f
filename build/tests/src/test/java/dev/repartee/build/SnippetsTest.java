package dev.repartee.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Checks that every Java block of a Markdown page is part of a source that a test runs: in the
 * package {@code snippets} or in {@code examples/guides}. A block may begin with some of the
 * imports of the source.
 */
class SnippetsTest {
  private static final Path ROOT = Path.of(System.getProperty("repartee.root"));
  private static final List<Path> SOURCES = List.of(
      ROOT.resolve("build/tests/src/test/java/dev/repartee/build/snippets"),
      ROOT.resolve("examples/guides/src"));
  private static final int DEPTH = 16;
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\\R(.*?)^```");
  private static final Pattern IMPORT = Pattern.compile("(?m)^import [^;]*;");

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
        String shown = block.group(1);
        if (!shown.contains("import ")) {
          missing.add(page.getFileName() + ": all");
        }
        unshown(shown, sources).forEach(each -> missing.add(page.getFileName() + ": " + each));
      }
    }
    assertThat(missing).isEmpty();
  }

  /** Returns the imports of the source of a block that the block uses and does not show. */
  private static List<String> unshown(String shown, List<String> sources) {
    String code = IMPORT.matcher(shown).replaceAll("");
    return sources.stream()
        .filter(source -> bare(source).contains(bare(code)))
        .limit(1)
        .flatMap(source -> IMPORT.matcher(source).results())
        .map(MatchResult::group)
        .filter(each -> uses(code, each) && !shown.contains(each))
        .toList();
  }

  /** Returns whether code uses the name of an import. Imports of whole packages do not count. */
  private static boolean uses(String code, String oneImport) {
    String name = oneImport.substring(oneImport.lastIndexOf('.') + 1, oneImport.length() - 1);
    return !name.equals("*")
        && Pattern.compile("\\b" + name + "\\b").matcher(code).find();
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
