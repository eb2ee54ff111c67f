package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.broker.server.ProsodyServer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands over XMPP, in separate processes. */
@Tag("ci")
class XmppTest {
  private static final String URI = "xmpp://ann@localhost/math@localhost#tls=off&server=127.0.0.1:";

  @TempDir
  private static Path folder;

  @Test
  void aServiceIsServedToItsContactsAndToNobodyElse() throws Exception {
    String missing = ProsodyServer.missing();
    assumeTrue(missing == null, missing);
    try (ProsodyServer prosody = ProsodyServer.start("");
        Child server = Child.start("serve", "--listen", prosody.uri("math"))) {
      assertThat(server.listening()).startsWith("xmpp:math@localhost/math#");
      assertThat(Child.run("call", prosody.client("ann", "math"), "sum", "1", "2", "3"))
          .isEqualTo(new Child.Outcome(0, "6\n", ""));
      Child.Outcome refused = Child.run("call", prosody.client("eve", "math"), "sum", "1");
      assertThat(refused.err())
          .contains("does not accept calls from eve@localhost")
          .doesNotContain("secret")
          .hasLineCount(1);
      assertThat(server.errLine()).contains("a call of eve@localhost/", "was refused");
    }
  }

  @Test
  void aServerThatIsNotThereIsReportedInOneLineWithTheRemedy() throws Exception {
    Path password = Files.writeString(folder.resolve("password"), "secret");
    try (DeafPort port = new DeafPort()) {
      Child.Outcome failed =
          Child.run("call", URI + port.number() + "&password-file=" + password, "sum", "1");
      assertThat(failed.exit()).isEqualTo(3);
      assertThat(failed.out()).isEmpty();
      assertThat(failed.err())
          .startsWith(
              "repartee: cannot connect to 127.0.0.1:" + port.number() + ": Connection refused")
          .hasLineCount(1);
    }
  }

  @Test
  void aMissingPasswordIsAnErrorOfUsage() throws Exception {
    Child.Outcome refused = Child.run("serve", "--listen", "xmpp:math@localhost#tls=off");
    assertThat(refused.exit()).isEqualTo(2);
    assertThat(refused.err()).contains("password-file", "REPARTEE_XMPP_PASSWORD");
  }
}
