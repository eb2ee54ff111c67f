package dev.repartee.ssh;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.Call;
import dev.repartee.CallFuture;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.TypeToken;
import dev.repartee.limits.Limits;
import dev.repartee.testkit.RawConnection;
import dev.repartee.transport.Channel;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.Principal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server, with the client of this library and with the client of OpenSSH. */
class SshServerTest {
  private static final long PATIENCE_SECONDS = 60;

  @TempDir
  Path folder;

  private final Methods methods = new Methods();
  private Keys keys;
  private Server server;
  private int port;

  /** The methods of the server. */
  public static final class Methods {
    private final CountDownLatch released = new CountDownLatch(1);

    private Methods() {}

    @Rpc
    public int add(int a, int b) {
      return a + b;
    }

    @Rpc
    public List<String> caller(Call call) {
      SshKey key = call.attributes().get(SshKey.ATTRIBUTE);
      Principal principal = call.attributes().find(Principal.class);
      InetAddress address = call.attributes().get(Channel.REMOTE_ADDRESS).getAddress();
      return List.of(key.fingerprint(), principal.getName(), key.user(), address.getHostAddress());
    }

    @Rpc
    public String linger() throws InterruptedException {
      released.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
      return "released";
    }
  }

  @BeforeEach
  void listen() throws IOException {
    keys = Keys.in(folder);
    listen(Limits.DEFAULT);
  }

  private void listen(Limits limits) throws IOException {
    if (server != null) {
      server.close();
    }
    server = Repartee.listen(
        keys.listening(), Service.of(methods), Options.builder().limits(limits).build());
    port = server.port();
    keys.know(port);
  }

  @AfterEach
  void close() {
    methods.released.countDown();
    server.close();
  }

  private Peer connect() throws IOException {
    return Repartee.connect(keys.calling(port, ""));
  }

  // ---------------------------------------------------------------- OpenSSH as the client

  private record Said(int status, String out, String err) {}

  private Said ssh(String input, String... words) throws Exception {
    Path ssh = Path.of("/usr/bin/ssh");
    assumeTrue(Files.isExecutable(ssh), "there is no /usr/bin/ssh; install openssh-client");
    List<String> command = new ArrayList<>(List.of(
        ssh.toString(),
        "-F",
        "none",
        "-p",
        String.valueOf(port),
        "-i",
        keys.own().toString(),
        "-o",
        "UserKnownHostsFile=" + keys.knownHosts(),
        "-o",
        "BatchMode=yes"));
    command.addAll(List.of(words));
    Path err = Files.createTempFile(folder, "ssh", "err");
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(err.toFile());
    builder.environment().remove("SSH_AUTH_SOCK");
    Process process = builder.start();
    try (OutputStream in = process.getOutputStream()) {
      in.write(input.getBytes(UTF_8));
    } catch (IOException e) {
      // It has ended without reading.
    }
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    return new Said(process.exitValue(), out, Files.readString(err));
  }

  private static final String CALL = """
      {"jsonrpc":"2.0","id":1,"method":"add","params":[2,3]}
      """;
  private static final String ANSWER = """
      {"jsonrpc":"2.0","result":5,"id":1}
      """;

  @Test
  void aServerClosesWhileItsLastConnectionEnds() throws Exception {
    for (int i = 0; i < 100; i++) {
      listen(Limits.DEFAULT);
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
      assertThat(socket.getInputStream().read()).isEqualTo('S'); // of SSH-2.0
      Thread end = new Thread(() -> assertThatCode(socket::close).doesNotThrowAnyException());
      end.start();
      assertThatCode(server::close).doesNotThrowAnyException();
      end.join();
    }
  }

  @Test
  void openSshCallsTheSubsystem() throws Exception {
    assertThat(ssh(CALL, "-s", "127.0.0.1", "json-rpc")).isEqualTo(new Said(0, ANSWER, ""));
  }

  @Test
  void openSshRunsTheSubsystemAsACommand() throws Exception {
    assertThat(ssh(CALL, "127.0.0.1", "json-rpc")).isEqualTo(new Said(0, ANSWER, ""));
  }

  @Test
  void thereIsNoShellNoOtherCommandNoFileTransferAndNoForwarding() throws Exception {
    assertThat(ssh("", "127.0.0.1").status()).isNotZero();
    assertThat(ssh("", "-tt", "127.0.0.1").status()).isNotZero();
    assertThat(ssh("", "127.0.0.1", "id"))
        .matches(said -> said.status() != 0 && said.out().isEmpty());
    assertThat(ssh("", "-s", "127.0.0.1", "sftp").status()).isNotZero();
    Said forwarded = ssh("", "-W", "127.0.0.1:" + port, "127.0.0.1");
    assertThat(forwarded.status()).isNotZero();
    assertThat(forwarded.out()).isEmpty();
    Said remote = ssh(
        CALL,
        "-o",
        "ExitOnForwardFailure=yes",
        "-R",
        "0:127.0.0.1:" + port,
        "-s",
        "127.0.0.1",
        "json-rpc");
    assertThat(remote.status()).isNotZero();
    assertThat(remote.err()).contains("remote port forwarding failed");
  }

  @Test
  void onlyAuthorizedKeysAreAdmittedAndNoPassword() throws Exception {
    keys.authorize(keys.publicKey(keys.host()) + " somebody else\n");
    Said said = ssh(CALL, "-s", "127.0.0.1", "json-rpc");
    assertThat(said.status()).isEqualTo(255);
    assertThat(said.err()).contains("Permission denied (publickey).");
    assertThatThrownBy(() -> connect().close())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("accepts none of the keys: one was offered")
        .hasMessageContaining("authorized_keys");
  }

  // ---------------------------------------------------------------- its own client

  @Test
  void aHandlerKnowsTheKeyOfItsCaller() throws Exception {
    try (Peer peer = connect()) {
      assertThat(peer.call("caller", new TypeToken<List<String>>() {}))
          .isEqualTo(List.of(
              KnownHosts.fingerprint(PrivateKeys.read(keys.own()).getPublic()),
              "ada@example",
              System.getProperty("user.name"),
              "127.0.0.1"));
    }
  }

  @Test
  void otherCommandsAreRefusedAtTheClient() {
    assertThatThrownBy(() -> Repartee.connect(keys.calling(port, "id")).close())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the SSH server at 127.0.0.1:" + port + " does not run the command");
  }

  @Test
  void anOptionOfAKeyThatWouldHaveNoEffectMakesTheFileUnusable() throws Exception {
    String key = keys.publicKey(keys.own());
    keys.authorize("restrict,no-pty " + key + "\n");
    connect().close();
    keys.authorize("from=\"10.0.0.0/8\" " + key + "\n");
    assertThatThrownBy(() -> connect().close()).hasMessageContaining("accepts none of the keys");
    assertThatThrownBy(
            () -> Repartee.listen(keys.listening(), Service.of(methods)).close())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("'" + keys.authorized() + "' has the options from");
  }

  @Test
  void authorizedKeysThatOthersMayChangeAreRefused() throws Exception {
    Files.setPosixFilePermissions(keys.authorized(), PosixFilePermissions.fromString("rw-rw-r--"));
    assertThatThrownBy(() -> connect().close()).hasMessageContaining("accepts none of the keys");
    assertThatThrownBy(
            () -> Repartee.listen(keys.listening(), Service.of(methods)).close())
        .hasMessageContaining("chmod go-w " + keys.authorized());
  }

  /** Connects from an address, and waits for the identification of the server. */
  private Socket idle(String from) throws IOException {
    Socket socket =
        new Socket(InetAddress.getByName("127.0.0.1"), port, InetAddress.getByName(from), 0);
    assertThat(socket.getInputStream().read()).isEqualTo('S');
    return socket;
  }

  @Test
  void anIdleConnectionReplacesTheOldestOneOfItsAddressAtTheHalfOfTheBound() throws Exception {
    List<Socket> idle = new ArrayList<>();
    try {
      for (int i = 0; i <= SshListening.UNAUTHENTICATED / 2; i++) {
        idle.add(idle("127.0.0.2"));
      }
      while (idle.get(0).getInputStream().read() >= 0) {
        // the rest of the identification and the first message
      }
    } finally {
      for (Socket socket : idle) {
        socket.close();
      }
    }
  }

  @Test
  void idleConnectionsKeepNoClientFromItsLogin() throws Exception {
    List<Socket> idle = new ArrayList<>();
    try {
      for (int i = 0; i < SshListening.UNAUTHENTICATED / 2; i++) {
        idle.add(idle("127.0.0.2"));
        idle.add(idle("127.0.0.3"));
      }
      try (Peer peer = connect()) {
        assertThat(peer.call("add", int.class, 2, 3)).isEqualTo(5);
      }
    } finally {
      for (Socket socket : idle) {
        socket.close();
      }
    }
  }

  /** Connects again until the server has detected the end of a connection. */
  private void awaitServed() throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (true) {
      try (Peer peer = connect()) {
        assertThat(peer.call("add", int.class, 2, 3)).isEqualTo(5);
        return;
      } catch (IOException e) {
        assertThat(System.nanoTime()).as(e.toString()).isLessThan(end);
      }
    }
  }

  @Test
  void aConnectionThatDoesNotLogInEnds() throws Exception {
    listen(Limits.builder().firstByteTimeout(Duration.ofMillis(200)).build());
    try (RawConnection raw = new RawConnection("ssh://127.0.0.1:" + port)) {
      raw.send("SSH-2.0-idle\r\n").rest(); // a reset, if the limit ends the connection first
    }
  }

  @Test
  void noMoreChannelsThanTheLimitAreServed() throws Exception {
    listen(Limits.builder().connections(1).build());
    try (Peer first = connect()) {
      assertThat(first.call("add", int.class, 2, 3)).isEqualTo(5);
      assertThatThrownBy(() -> connect().close()).isInstanceOf(IOException.class);
      assertThat(first.call("add", int.class, 3, 4)).isEqualTo(7);
    }
    awaitServed();
  }

  @Test
  void aServerThatClosesAnswersItsCallsFirst() throws Exception {
    try (Peer peer = connect()) {
      CallFuture<String> call = peer.callAsync("linger", String.class);
      assertThat(peer.call("add", int.class, 2, 3)).isEqualTo(5);
      Thread closing = new Thread(server::close);
      closing.start();
      methods.released.countDown();
      assertThat(call.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo("released");
      closing.join();
    }
    assertThatThrownBy(() -> connect().close())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot connect to ssh://127.0.0.1:" + port);
  }

  @Test
  void aServerWithoutItsOptionsTellsThem() {
    assertThatThrownBy(
            () -> Repartee.listen("ssh://127.0.0.1:0", Service.of(methods)).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a server of ssh: needs the option hostkey:"
            + " ssh://127.0.0.1:2222#hostkey=FILE&authorized=FILE");
    assertThatThrownBy(() -> Repartee.connect(keys.listening()).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("belongs to a server");
  }

  @Test
  void aPortWithoutASshServerIsTold() throws Exception {
    try (ServerSocket mute = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
      String uri = keys.calling(mute.getLocalPort(), "");
      Limits limits = Limits.builder().connectTimeout(Duration.ofMillis(300)).build();
      assertThatThrownBy(() -> Repartee.connect(
                  uri, Service.of(methods), Options.builder().limits(limits).build())
              .close())
          .isInstanceOf(IOException.class)
          .hasMessage("cannot connect to ssh://127.0.0.1:" + mute.getLocalPort()
              + ": no answer within 300 ms; is an SSH server listening there?");
    }
  }
}
