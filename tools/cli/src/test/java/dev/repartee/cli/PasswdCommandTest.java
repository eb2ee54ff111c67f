package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.cli.Child.Outcome;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code repartee passwd}. */
@EnabledOnOs({OS.LINUX, OS.MAC})
class PasswdCommandTest {
  private static final String HASH = "\\$2y\\$11\\$[./0-9A-Za-z]{53}";

  @TempDir
  Path folder;

  private Path file;

  @BeforeEach
  void name() {
    file = folder.resolve("users");
  }

  private Outcome passwd(int exit, String in, String... words) {
    List<String> all = new ArrayList<>(List.of("passwd", file.toString()));
    all.addAll(List.of(words));
    Outcome outcome = Captured.run(in, all.toArray(String[]::new));
    assertThat(outcome.exit()).as(outcome.err()).isEqualTo(exit);
    assertThat(outcome.out() + outcome.err()).doesNotContain("s3cret");
    return outcome;
  }

  private List<String> lines() throws Exception {
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    return Files.readAllLines(file);
  }

  @Test
  void aPasswordIsWrittenReplacedAndDeleted() throws Exception {
    assertThat(passwd(0, "s3cret\n", "ada", "--roles", "admin,user"))
        .isEqualTo(new Outcome(0, "", ""));
    passwd(0, "s3cret\r\n", "bob");
    List<String> before = lines();
    assertThat(before).hasSize(2);
    assertThat(before.get(0)).matches("ada:" + HASH + ":admin,user");
    assertThat(before.get(1)).matches("bob:" + HASH);

    passwd(0, "other s3cret", "ada");
    List<String> after = lines();
    assertThat(after.get(0)).matches("ada:" + HASH + ":admin,user").isNotEqualTo(before.get(0));
    assertThat(after.get(1)).isEqualTo(before.get(1));
    passwd(0, "s3cret", "ada", "--roles", "");
    assertThat(lines().get(0)).matches("ada:" + HASH);

    passwd(0, "", "ada", "--delete");
    assertThat(lines()).containsExactly(before.get(1));
    assertThat(passwd(1, "", "ada", "--delete").err())
        .isEqualTo("repartee: '" + file + "' has no caller 'ada'\n");
  }

  @Test
  void aTokenIsPrintedAndOnlyItsDigestWritten() throws Exception {
    String token = passwd(0, "", "stock", "--token", "--roles", "service").out();
    assertThat(token).matches("[-_0-9A-Za-z]{43}\n");
    assertThat(lines()).hasSize(1).allMatch(line -> line.matches("stock:[0-9a-f]{64}:service"));
    assertThat(passwd(0, "", "stock", "--token").out()).isNotEqualTo(token);
    assertThat(lines()).hasSize(1).allMatch(line -> line.matches("stock:[0-9a-f]{64}:service"));
    passwd(0, "", "stock", "--delete");
    assertThat(lines()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''        | ada   | a password has 1 to 72 bytes",
        "s3cret    | a:b   | a name is not empty, has no colon",
        "'s3cret\n\n' | ada | standard input has more than one line"
      })
  void invalidInputIsTwoAndNothingIsWritten(String in, String name, String sentence) {
    assertThat(passwd(2, in, name).err()).contains(sentence).hasLineCount(1);
    assertThat(passwd(2, "x".repeat(73), "ada").err()).contains("1 to 72 bytes");
    assertThat(passwd(2, "s3cret", "ada", "--roles", "a:b").err()).contains("a role is not empty");
    assertThat(passwd(2, "", "ada", "--delete", "--roles", "x").err()).contains("--delete");
    assertThat(file).doesNotExist();
  }

  @Test
  void anotherFileIsNotChanged() throws Exception {
    Files.writeString(file, "127.0.0.1 localhost\nada:s3cret\n");
    assertThat(passwd(2, "x", "ada").err()).contains("line 1 of " + file);
    passwd(2, "", "ada", "--delete");
    passwd(2, "", "ada", "--token");
    assertThat(file).hasContent("127.0.0.1 localhost\nada:s3cret\n");
    file = folder.resolve("no/where");
    assertThat(passwd(2, "x", "ada").err()).contains("cannot be changed");
  }

  /** The program {@code script} makes a terminal. */
  @Test
  @EnabledOnOs(OS.LINUX)
  @Tag("any-jdk")
  void aTerminalIsAskedTwice() throws Exception {
    String words = String.join(
        " ",
        Child.command("passwd", file.toString(), "ada").stream()
            .map(word -> "'" + word + "'")
            .toList());
    for (String again : List.of("s3cret", "secret")) {
      try (Child child = Child.start(List.of("script", "-qec", words, "/dev/null"), Map.of());
          OutputStream in = child.in()) {
        in.write("s3cret\n".getBytes(UTF_8));
        in.flush();
        in.write((again + "\n").getBytes(UTF_8));
        in.flush();
        Outcome outcome = child.outcome();
        boolean isSame = again.equals("s3cret");
        assertThat(outcome.exit()).as(outcome.out()).isEqualTo(isSame ? 0 : 2);
        assertThat(outcome.out()).contains("Password of ada:", "Again:");
        assertThat(outcome.out().contains("differ")).isNotEqualTo(isSame);
      }
    }
    assertThat(lines()).hasSize(1);
  }
}
