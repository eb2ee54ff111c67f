package dev.repartee.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Checks that every Java block of a Markdown page is part of a source that a test runs: in the
 * package {@code snippets} or in {@code examples/guides}. A block may begin with imports: some of
 * those of the source.
 */
class SnippetsTest {
  private static final Path ROOT = Path.of(System.getProperty("repartee.root"));
  private static final List<Path> SOURCES = List.of(
      ROOT.resolve("build-tests/src/test/java/dev/repartee/build/snippets"),
      ROOT.resolve("examples/guides/src"));
  private static final int DEPTH = 16;
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\\R(.*?)^```");
  private static final Pattern IMPORT = Pattern.compile("(?m)^import [^;]*;");

  @Test
  void everyJavaBlockOfAPageStandsInASourceThatIsRun() throws IOException {
    List<String> sources = new ArrayList<>();
    for (Path folder : SOURCES) {
      for (Path source : SourceFiles.below(folder, DEPTH, ".java")) {
        sources.add(bare(Files.readString(source)));
      }
    }
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

  /** Returns the imports of a block, and the rest of it. */
  private static List<String> parts(String block) {
    List<String> parts = new ArrayList<>();
    IMPORT.matcher(block).results().forEach(each -> parts.add(bare(each.group())));
    String code = bare(IMPORT.matcher(block).replaceAll(""));
    parts.add(code.isEmpty() ? "no code" : code); // which no source without spaces contains
    return parts;
  }

  /** Removes white space, in which the formatter and a page differ. */
  private static String bare(String code) {
    return code.replaceAll("\\s", "");
  }
}
