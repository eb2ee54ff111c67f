package dev.repartee.build;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.build.Page.Block;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The table of docs/security-guide.md; {@link PagesTest} runs the commands of the page. */
@Tag("any-jdk")
class SecurityGuideTest {
  private static final Path ROOT = Path.of(System.getProperty("repartee.root"));
  private static final Pattern OPTIONS = Pattern.compile("`((?:--|#)[^`]*)`");

  @Test
  void theCommandsOfThePageHaveAllOptionsOfTheTable() throws Exception {
    Path file = ROOT.resolve("docs/security-guide.md");
    String commands = Page.read(ROOT, file).blocks().stream()
        .filter(Block::isRun)
        .map(Block::text)
        .collect(joining("\n"));
    List<String> options = Files.readAllLines(file).stream()
        .filter(line -> line.startsWith("| "))
        .flatMap(line -> OPTIONS.matcher(line).results())
        .map(found -> found.group(1))
        .toList();
    assertThat(options).hasSizeGreaterThan(15);
    for (String each : options) {
      String any =
          Stream.of(each.split("\\.\\.\\.", -1)).map(Pattern::quote).collect(joining(".+"));
      assertThat(commands).as(each).containsPattern(any);
    }
  }
}
