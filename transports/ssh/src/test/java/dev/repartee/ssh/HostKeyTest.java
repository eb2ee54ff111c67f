package dev.repartee.ssh;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests how a client checks the key of a server, and the key files. */
class HostKeyTest {
  private static final Service SERVICE = Service.of(new Ping());

  /** The method of the server. */
  public static final class Ping {
    private Ping() {}

    @Rpc
    public String ping() {
      return "pong";
    }
  }

  @TempDir
  Path folder;

  private Keys keys;
  private Server server;
  private int port;

  @BeforeEach
  void listen() throws IOException {
    keys = Keys.in(folder);
    server = Repartee.listen(keys.listening(), SERVICE);
    port = server.port();
  }

  @AfterEach
  void close() {
    server.close();
  }

  private void assertServed() throws IOException {
    try (Peer peer = Repartee.connect(keys.calling(port, ""))) {
      assertThat(peer.call("ping", String.class)).isEqualTo("pong");
    }
  }

  private String refusal() {
    Throwable[] refused = new Throwable[1];
    assertThatThrownBy(() -> Repartee.connect(keys.calling(port, "")).close())
        .isInstanceOf(IOException.class)
        .satisfies(e -> refused[0] = e);
    return refused[0].getMessage();
  }

  private String fingerprint(Path key) throws IOException {
    return KnownHosts.fingerprint(PrivateKeys.read(key).getPublic());
  }

  @Test
  void anUnknownHostIsRefusedUntilTheLineInTheErrorIsInTheFile() throws Exception {
    String refusal = refusal();
    assertThat(refusal)
        .startsWith("cannot connect to ssh://127.0.0.1:" + port + ": its host key is not in "
            + keys.knownHosts() + ": ssh-ed25519 " + fingerprint(keys.host()));
    assertThat(keys.knownHosts()).isEmptyFile();
    Matcher line = Pattern.compile("add this line to the file: (.*)$").matcher(refusal);
    assertThat(line.find()).isTrue();
    Files.writeString(keys.knownHosts(), line.group(1) + "\n");
    assertServed();
  }

  @Test
  void aHostWithAnotherKeyThanBeforeIsRefused() throws Exception {
    keys.knowAs(port, keys.own());
    assertThat(refusal())
        .contains("its host key has changed: " + keys.knownHosts() + " has ssh-ed25519 "
            + fingerprint(keys.own()) + ", the server shows ssh-ed25519 "
            + fingerprint(keys.host()))
        .endsWith("ssh-keygen -R '[127.0.0.1]:" + port + "' -f " + keys.knownHosts());
  }

  @Test
  void aRevokedKeyIsRefusedAlsoIfItIsKnown() throws Exception {
    keys.know(port);
    assertServed();
    Files.writeString(
        keys.knownHosts(),
        Files.readString(keys.knownHosts()) + "@revoked * " + keys.publicKey(keys.host()) + "\n");
    assertThat(refusal()).contains("is marked as revoked in " + keys.knownHosts());
  }

  @Test
  void theKeyOfTheSameHostAtAnotherPortIsNotEnough() throws Exception {
    keys.know(port + 1);
    assertThat(refusal()).contains("is not in");
    Files.writeString(keys.knownHosts(), "127.0.0.1 " + keys.publicKey(keys.host()) + "\n");
    assertThat(refusal()).contains("is not in");
  }

  @Test
  void aLineMayHaveSeveralPatternsAndExceptions() throws Exception {
    String key = keys.publicKey(keys.host());
    Files.writeString(keys.knownHosts(), "example.org,[127.0.0.?]:* " + key + "\n");
    assertServed();
    Files.writeString(keys.knownHosts(), "*,![127.0.0.1]:" + port + " " + key + "\n");
    assertThat(refusal()).contains("is not in");
  }

  @Test
  void aHashedLineIsUnderstood() throws Exception {
    keys.know(port);
    String salt = "AAECAwQFBgcICQoLDA0ODxAREhM=";
    Mac mac = Mac.getInstance("HmacSHA1");
    mac.init(new SecretKeySpec(Base64.getDecoder().decode(salt), "HmacSHA1"));
    byte[] hash = mac.doFinal(("[127.0.0.1]:" + port).getBytes(UTF_8));
    Files.writeString(
        keys.knownHosts(),
        "|1|" + salt + "|" + Base64.getEncoder().encodeToString(hash) + " "
            + keys.publicKey(keys.host()) + "\n");
    assertServed();
  }

  @Test
  void anAuthorityIsNoKeyOfAHost() throws Exception {
    Files.writeString(keys.knownHosts(), "@cert-authority * " + keys.publicKey(keys.host()) + "\n");
    assertThat(refusal()).contains("is not in");
  }

  @Test
  void aMissingHostKeyIsCreatedForItsOwnerOnlyAndOnlyOnRequest() throws Exception {
    Path created = folder.resolve("created");
    String uri = "ssh://127.0.0.1:0#hostkey=" + created + "&authorized=" + keys.authorized();
    assertThatThrownBy(() -> Repartee.listen(uri, SERVICE).close())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("there is no private key '" + created + "'")
        .hasMessageContaining("ssh-keygen");
    Repartee.listen(uri + "&create-hostkey=true", SERVICE).close();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(created)))
        .isEqualTo("rw-------");
    String first = Files.readString(created);
    Repartee.listen(uri + "&create-hostkey=true", SERVICE).close();
    assertThat(Files.readString(created)).isEqualTo(first);
  }

  @Test
  void aPrivateKeyThatOthersMayReadIsRefused() throws Exception {
    keys.know(port);
    Files.setPosixFilePermissions(keys.own(), PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(refusal())
        .isEqualTo("the private key '" + keys.own() + "' is accessible to other users; change that"
            + " with: chmod 600 " + keys.own());
  }

  @Test
  void anEncryptedKeyIsToldWithTheRemedy() throws Exception {
    keys.know(port);
    Path encrypted = folder.resolve("encrypted");
    Files.copy(HostKeyTest.class.getResourceAsStream("encrypted_key"), encrypted);
    Files.setPosixFilePermissions(encrypted, PosixFilePermissions.fromString("rw-------"));
    String uri = keys.calling(port, "").replace(keys.own().toString(), encrypted.toString());
    assertThatThrownBy(() -> Repartee.connect(uri).close())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("'" + encrypted + "' is encrypted; add it to the SSH agent");
  }

  @Test
  void aPasswordInAUriIsRefusedWithoutShowingIt() {
    assertThatThrownBy(
            () -> Repartee.connect("ssh://ada:hunter2@127.0.0.1:22/cat").close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has a password")
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("hunter2").doesNotContain("ada"));
  }
}
