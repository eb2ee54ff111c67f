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
 * package {@code snippets} or in {@code examples/guides}.
 */
class SnippetsTest {
  private static final Path ROOT = Path.of(System.getProperty("repartee.root"));
  private static final List<Path> SOURCES = List.of(
      ROOT.resolve("build-tests/src/test/java/dev/repartee/build/snippets"),
      ROOT.resolve("examples/guides/src"));
  private static final int DEPTH = 16;
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\\R(.*?)^```");

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
        String code = bare(block.group(1));
        if (code.isEmpty() || sources.stream().noneMatch(source -> source.contains(code))) {
          missing.add(ROOT.relativize(page) + ":\n" + block.group(1));
        }
      }
    }
    assertThat(blocks).isPositive();
    assertThat(missing).as("blocks that are in no source under " + SOURCES).isEmpty();
  }

  /** Removes white space, in which the formatter and a page differ. */
  private static String bare(String code) {
    return code.replaceAll("\\s", "");
  }
}
