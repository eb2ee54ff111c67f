package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls through XMPP that fail, in processes of their own. */
class XmppTest {
  private static final String URI = "xmpp://ann@localhost/math@localhost#tls=off&server=127.0.0.1:";

  @TempDir
  private static Path folder;

  @Test
  void aServerThatIsNotThereIsReportedInOneLineWithTheRemedy() throws Exception {
    Path password = Files.writeString(folder.resolve("password"), "secret");
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Child.Outcome failed = Child.run("call", URI + port + "&password-file=" + password, "sum", "1");
    assertThat(failed.exit()).isEqualTo(3);
    assertThat(failed.out()).isEmpty();
    assertThat(failed.err())
        .startsWith("repartee: cannot connect to 127.0.0.1:" + port + ": Connection refused")
        .hasLineCount(1);
  }

  @Test
  void aMissingPasswordIsAnErrorOfUsage() throws Exception {
    Child.Outcome refused = Child.run("serve", "--listen", "xmpp:math@localhost#tls=off");
    assertThat(refused.exit()).isEqualTo(2);
    assertThat(refused.err()).contains("password-file", "REPARTEE_XMPP_PASSWORD");
  }
}
