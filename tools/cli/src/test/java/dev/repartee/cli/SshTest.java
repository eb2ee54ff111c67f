package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Serves and calls through SSH, in separate processes. */
@Tag("ci")
@DisabledOnOs(OS.WINDOWS)
class SshTest {
  @TempDir
  static Path folder;

  @BeforeAll
  static void makeKeys() throws Exception {
    assumeTrue(
        Files.isExecutable(Path.of("/usr/bin/ssh-keygen")),
        "there is no ssh-keygen; install openssh-client");
    Process making = new ProcessBuilder(
            "ssh-keygen",
            "-q",
            "-t",
            "ed25519",
            "-N",
            "",
            "-f",
            folder.resolve("id").toString())
        .inheritIO()
        .start();
    assertThat(making.waitFor()).isZero();
  }

  @Test
  void aServiceIsServedAndCalledThroughSshOnceItsHostKeyIsKnown() throws Exception {
    Path known = folder.resolve("known_hosts");
    try (Child server = Child.start(
        "serve",
        "--listen",
        "ssh://127.0.0.1:0#create-hostkey=true&hostkey=" + folder.resolve("host") + "&authorized="
            + folder.resolve("id.pub"))) {
      String bare = server.listening().replaceFirst("#.*", "");
      String uri = bare + "#identity=" + folder.resolve("id") + "&known-hosts=" + known;
      Child.Outcome refused = Child.run("call", uri, "sum", "1", "2", "3");
      assertThat(refused.exit()).isEqualTo(3);
      assertThat(refused.out()).isEmpty();
      assertThat(refused.err())
          .startsWith("repartee: cannot connect to " + bare + ": its host key is not in " + known)
          .hasLineCount(1);
      Files.writeString(known, refused.err().replaceFirst("(?s)^.*line to the file: ", ""));
      assertThat(Child.run("call", uri, "sum", "1", "2", "3"))
          .isEqualTo(new Child.Outcome(0, "6\n", ""));
      assertThat(Child.run(new ByteArrayInputStream("""
          {"jsonrpc":"2.0","id":1,"method":"sum","params":[4]}
          """.getBytes(UTF_8)), "send", uri)
              .out())
          .contains("\"result\":4");
    }
  }
}
