package dev.repartee.ssh;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.CallFuture;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Service;
import dev.repartee.limits.Limits;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The client with the server of OpenSSH. The remote command is usually {@code cat}, which returns
 * each message: the caller serves its own calls.
 */
@Tag("ci")
class OpenSshServerTest {
  private static final long PATIENCE_SECONDS = 60;

  @TempDir
  static Path folder;

  private static Keys keys;
  private static OpenSshd sshd;

  private final BlockingQueue<String> notes = new LinkedBlockingQueue<>();

  @BeforeAll
  static void start() throws IOException {
    keys = Keys.in(folder);
    sshd = OpenSshd.start(keys);
    keys.know(sshd.port());
  }

  @AfterAll
  static void stop() {
    if (sshd != null) {
      sshd.close();
    }
  }

  /** The methods of this side. */
  public static final class Methods {
    private final BlockingQueue<String> notes;

    private Methods(BlockingQueue<String> notes) {
      this.notes = notes;
    }

    @Rpc
    public int add(int a, int b) {
      return a + b;
    }

    @Rpc
    public void note(String text) {
      notes.add(text);
    }
  }

  private Peer connect(String command) throws IOException {
    return Repartee.connect(
        keys.calling(sshd.port(), command), Service.of(new Methods(notes)), Options.DEFAULT);
  }

  @Test
  void aCommandOnAnotherMachineServesCalls() throws Exception {
    try (Peer peer = connect("cat")) {
      assertThat(peer.call("add", int.class, 2, 3)).isEqualTo(5);
      assertThat(peer.channel().transport()).isEqualTo("ssh");
      assertThat(peer.channel().remote()).isEqualTo("127.0.0.1:" + sshd.port());
    }
  }

  @Test
  void theShellOfTheUserInterpretsTheDecodedCommand() throws Exception {
    String note = """
        {"jsonrpc":"2.0","method":"note","params":["a  b+c %23"]}""";
    try (Peer peer = connect("printf '%25s\\n' '" + note.replace("%", "%25") + "'; cat")) {
      assertThat(notes.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo("a  b+c %23");
      assertThat(peer.isOpen()).isTrue();
    }
  }

  @Test
  void theReasonOfTheEndHasTheExitStatus() throws Exception {
    try (Peer peer = connect("read line; exit 3")) {
      assertThatThrownBy(() -> peer.call("add", int.class, 2, 3))
          .isInstanceOf(DisconnectedException.class)
          .hasMessageContaining("the command on 127.0.0.1:" + sshd.port())
          .hasMessageContaining("exit status 3");
    }
  }

  @Test
  void theReasonExplainsThatTheCommandIsMissing() throws Exception {
    try (Peer peer = connect("read line; no-such-command-here 2>/dev/null")) {
      assertThatThrownBy(() -> peer.call("add", int.class, 2, 3))
          .hasMessageContaining("exit status 127; a shell returns this status if it does not find")
          .hasMessageContaining("an absolute path needs a second slash: ssh://HOST//PATH");
    }
  }

  @Test
  void aLostConnectionIsTheReason() throws Exception {
    try (Peer peer = connect("sleep 60")) {
      CallFuture<Integer> call = peer.callAsync("add", int.class, 2, 3);
      sshd.killConnections();
      assertThatThrownBy(() -> call.get(PATIENCE_SECONDS, TimeUnit.SECONDS))
          .hasMessageContaining("127.0.0.1:" + sshd.port())
          .hasMessageContaining("was lost");
    }
  }

  @Test
  void aServerWithoutTheSubsystemIsRefusedWithARemedy() {
    assertThatThrownBy(() -> connect("").close())
        .isInstanceOf(IOException.class)
        .hasMessage("the SSH server at 127.0.0.1:" + sshd.port() + " has no subsystem json-rpc;"
            + " name a command: ssh://127.0.0.1:" + sshd.port() + "/COMMAND");
  }

  @Test
  void theCommandEndsInOrderWhenTheConnectionIsClosed() throws Exception {
    Path ended = folder.resolve("ended");
    try (Peer peer = connect("cat; touch " + ended)) {
      assertThat(peer.call("add", int.class, 2, 3)).isEqualTo(5);
    }
    assertThat(ended).exists();
  }

  @Test
  void linesOfStandardErrorArePassedOnWithoutControlCharactersAndInvisibleOnes() throws Exception {
    BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    try (ErrorLines errors = new ErrorLines(lines::add)) {
      errors.write(
          "one\ntwo\033[2J\r\nthree\t3\n\u202Ertl\u200B\u2066\u009B\uDB40\uDC41 \uD83D\uDE00"
              .getBytes(UTF_8));
    }
    assertThat(lines).containsExactly("one", "two?[2J", "three\t3", "?rtl???? \uD83D\uDE00");
  }

  @Test
  void theKeysOfTheAgentAreOffered() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/ssh-agent")), "there is no ssh-agent");
    Path socket = folder.resolve("agent");
    Process agent = new ProcessBuilder("ssh-agent", "-D", "-a", socket.toString())
        .redirectErrorStream(true)
        .start();
    try {
      assertThat(new java.io.BufferedReader(
                  new java.io.InputStreamReader(agent.getInputStream(), UTF_8))
              .readLine())
          .contains("SSH_AUTH_SOCK");
      ProcessBuilder add =
          new ProcessBuilder("ssh-add", keys.own().toString()).redirectErrorStream(true);
      add.environment().put("SSH_AUTH_SOCK", socket.toString());
      Process adding = add.start();
      String said = new String(adding.getInputStream().readAllBytes(), UTF_8);
      assertThat(adding.waitFor()).as(said).isZero();
      Endpoint endpoint = Endpoint.parse("ssh://" + System.getProperty("user.name") + "@127.0.0.1:"
          + sshd.port() + "/cat#known-hosts=" + keys.knownHosts());
      Dialer dialer = new Dialer(endpoint, Limits.DEFAULT, folder, socket.toString());
      try (Peer peer =
          Peer.open(dialer.connect(), Service.of(new Methods(notes)), Options.DEFAULT)) {
        assertThat(peer.call("add", int.class, 2, 3)).isEqualTo(5);
      }
      Dialer without = new Dialer(endpoint, Limits.DEFAULT, folder, null);
      assertThatThrownBy(without::connect)
          .hasMessageContaining("accepts none of the keys: none was offered");
    } finally {
      agent.destroyForcibly();
    }
  }
}
