package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.cli.Child.Outcome;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class GivenWordsTest {
  @TempDir
  Path temp;

  private Path commandLine(String... words) throws Exception {
    return Files.write(temp.resolve("cmdline"), (String.join("\0", words) + "\0").getBytes(UTF_8));
  }

  @Test
  void wordsThatTheJvmCouldDecodeStayAsTheyAre() {
    String[] words = {"call", "café", "?"};
    assertThat(GivenWords.repaired(words, temp.resolve("none"))).containsExactly(words);
  }

  @Test
  void wordsThatTheJvmLostAreReadAgain() throws Exception {
    Path given = commandLine("java", "-jar", "x.jar", "echo", "", "caf\u00e9", "\uFFFD");
    String[] decoded = {"echo", "", "caf\uFFFD\uFFFD", "\uFFFD"};
    assertThat(GivenWords.repaired(decoded, given))
        .containsExactly("echo", "", "caf\u00e9", "\uFFFD");
  }

  @Test
  void whereTheBytesAreNotKeptALostWordIsRefusedByItsPosition() {
    String[] decoded = {"echo", "secret \uFFFD"};
    assertThatThrownBy(() -> GivenWords.repaired(decoded, temp.resolve("none")))
        .isInstanceOfSatisfying(Failure.class, e -> assertThat(e.exit()).isEqualTo(Exit.USAGE))
        .hasMessageStartingWith("argument 2 holds bytes that are not UTF-8")
        .hasMessageNotContaining("secret");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void anArgumentArrivesIntactInALocaleThatIsNotInstalled() throws Exception {
    try (Child server = Child.start("serve", "--listen", "tcp://127.0.0.1:0")) {
      String uri = server.listening();
      assertThat(call(uri, "caf\\303\\251")).isEqualTo(new Outcome(0, "\"caf\u00e9\"\n", ""));
      Outcome refused = call(uri, "caf\\351");
      assertThat(refused.exit()).isEqualTo(Exit.USAGE);
      assertThat(refused.err()).startsWith("repartee: argument 4 holds bytes that are not UTF-8");
    }
  }

  /** Calls echo with bytes from printf, because Java can pass only characters of its locale. */
  private static Outcome call(String uri, String argument) throws Exception {
    String script = "exec \"$@\" \"$(printf '" + argument + "')\"";
    List<String> command = new ArrayList<>(List.of("sh", "-c", script, "sh"));
    command.addAll(Child.command("call", uri, "echo"));
    Map<String, String> nowhere = Map.of("LC_ALL", "xx_XX.UTF-8");
    try (Child child = Child.start(command, nowhere)) {
      return child.outcome();
    }
  }
}
