package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.cli.Child.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs the completion scripts in the shells, and renders the manual pages, where installed. */
@Tag("ci")
class CompletionTest {
  private static final String BASH = """
      . "$0"
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
      _repartee
      printf '%s\\n' "${COMPREPLY[@]}"
      """;

  /** Prints the arguments of the function that completes, since it works only on a terminal. */
  private static final String ZSH = """
      words=("$@") CURRENT=$#
      _arguments() { print -rl -- "$words" "$@" }
      . "$0"
      """;

  private static final String FISH = """
      source $argv[1]
      complete -C (string join -- ' ' $argv[2..-1])
      """;

  @TempDir
  Path folder;

  private List<String> completed(String shell, String program, String line) throws Exception {
    assumeTrue(ExamplesTest.isInstalled(shell), shell + " is missing");
    Path script = folder.resolve("script");
    Files.writeString(script, Captured.run("", "completion", shell).out());
    List<String> words = new ArrayList<>(List.of(shell, "-c", program, script.toString()));
    words.addAll(List.of(line.replace("|", "").split(" ", -1)));
    try (Child child = Child.start(words, Map.of("HOME", folder.toString()))) {
      Outcome outcome = child.outcome();
      assertThat(outcome.err()).isEmpty();
      return outcome.out().lines().map(one -> one.replaceFirst("\t.*", "")).toList();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "repartee |,                      agents,      --help",
    "repartee -|,                     --version,   agents",
    "repartee mcp |se,                servers,     call",
    "repartee mcp serve |--cl,        --classpath, --listen",
    "repartee check x --format |,     junit,       --all",
    "repartee completion |,           fish,        --help",
  })
  void bashAndFishComplete(String line, String proposal, String other) throws Exception {
    for (List<String> proposals :
        List.of(completed("bash", BASH, line), completed("fish", FISH, line))) {
      assertThat(proposals).contains(proposal).doesNotContain(other);
    }
  }

  @Test
  void zshCompletes() throws Exception {
    assertThat(completed("zsh", ZSH, "repartee |"))
        .startsWith("repartee ")
        .contains("*--help[Show this help and exit]")
        .anyMatch(line -> line.startsWith(":command:((") && line.contains(" agents\\:Runs\\ "));
    assertThat(completed("zsh", ZSH, "repartee mcp |se"))
        .startsWith("mcp se") // a group completes its first word
        .anyMatch(line -> line.startsWith(":command:((") && line.contains(" servers\\:"));
    assertThat(completed("zsh", ZSH, "repartee check x |"))
        .anyMatch(line -> line.matches("\\*--format=\\[.*]:value:\\(table junit json\\)"))
        .anyMatch(line -> line.matches("\\*--open=\\[.*]:value:_files"))
        .contains("*:argument:_files");
    assertThat(completed("zsh", ZSH, "repartee completion |"))
        .contains("*:argument:(bash zsh fish)");
  }

  @Test
  void everyCommandHasAManualPageThatRendersWithoutAWarning() throws Exception {
    SharedFiles.main(new String[] {folder.toString()});
    Path pages = folder.resolve("man/man1");
    List<String> words = new ArrayList<>(List.of("man", "--warnings", "-l"));
    for (String page : List.of("repartee", "repartee-check", "repartee-mcp-serve")) {
      words.add(pages.resolve(page + ".1.gz").toString());
    }
    try (Stream<Path> all = Files.list(pages)) {
      all.map(Path::toString).filter(page -> !words.contains(page)).sorted().forEach(words::add);
    }
    assumeTrue(ExamplesTest.isInstalled("man"), "man is missing");
    try (Child child = Child.start(words, Map.of("LC_ALL", "C.UTF-8", "MANPAGER", "cat"))) {
      Outcome outcome = child.outcome();
      assertThat(outcome.err()).isEmpty();
      for (String text : List.of(
          "repartee-mcp-serve - Serves the methods",
          "\n       --method-map=FILE\n",
          "repartee check exec:./server --echo-method repeat --format junit > check.xml",
          "{\"subtract\":\"math.minus\", \"minuend\":\"a\"")) {
        assertThat(outcome.out().contains(text)).as(text).isTrue();
      }
    }
  }
}
