package dev.repartee.zeromq;

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
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.zeromq.ZMQ;

/** Encrypted connections. */
class CurveTest {
  @TempDir
  private Path folder;

  /** A service. */
  static class Methods {
    /** Adds. */
    @Rpc
    public int add(int a, int b) {
      return a + b;
    }
  }

  @BeforeEach
  void writeKeys() throws IOException {
    for (String name : new String[] {"service", "client", "stranger"}) {
      ZMQ.Curve.KeyPair pair = ZMQ.Curve.generateKeyPair();
      String publicKey = "curve\n    public-key = \"" + pair.publicKey + "\"\n";
      Files.writeString(folder.resolve(name + ".key"), publicKey);
      Path secret = folder.resolve(name + ".key_secret");
      Files.writeString(secret, publicKey + "    secret-key = \"" + pair.secretKey + "\"\n");
      Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    }
  }

  private String file(String name) {
    return folder.resolve(name).toString();
  }

  private Server serve(String options) throws IOException {
    return Repartee.listen(
        "zmq+tcp://127.0.0.1:0#curve-key=" + file("service.key_secret") + options,
        Service.of(new Methods()));
  }

  private static String uri(Server server) {
    return server.endpoint().bare().toString();
  }

  private static void requireRefused(String uri) {
    assertThatThrownBy(() -> {
          try (Peer client = Repartee.connect(uri)) {
            client.request("add").args(2, 3).timeout(Duration.ofSeconds(60)).call(int.class);
          }
        })
        .as(uri)
        .hasMessageContainingAll("127.0.0.1");
  }

  @Test
  void aClientWithTheKeyOfTheServiceIsServed() throws Exception {
    try (Server server = serve("");
        Peer client = Repartee.connect(uri(server) + "#curve-server=" + file("service.key"))) {
      assertThat(client.call("add", int.class, 2, 3)).isEqualTo(5);
    }
  }

  @Test
  void aClientWithoutKeysOrWithAWrongOneIsRefused() throws Exception {
    try (Server server = serve("")) {
      requireRefused(uri(server));
      requireRefused(uri(server) + "#curve-server=" + file("stranger.key"));
    }
  }

  @Test
  void onlyTheClientsOfTheFileAreAdmitted() throws Exception {
    try (Server server = serve("&curve-clients=" + file("client.key"))) {
      String known = uri(server) + "#curve-server=" + file("service.key");
      requireRefused(known);
      requireRefused(known + "&curve-key=" + file("stranger.key_secret"));
      try (Peer client = Repartee.connect(known + "&curve-key=" + file("client.key_secret"))) {
        assertThat(client.call("add", int.class, 2, 3)).isEqualTo(5);
      }
    }
  }

  @Test
  void bytesThatAreNotZeroMqOrNotEncryptedEndOnlyTheirConnection() throws Exception {
    try (Server server = serve("")) {
      for (byte[] garbage : Garbage.ALL) {
        assertThat(Garbage.send(uri(server), garbage)).doesNotContain("jsonrpc");
      }
      try (Peer client = Repartee.connect(uri(server) + "#curve-server=" + file("service.key"))) {
        assertThat(client.call("add", int.class, 2, 3)).isEqualTo(5);
      }
    }
  }

  @Test
  void aSecretThatOthersCanReadIsRefused() throws Exception {
    Path secret = folder.resolve("service.key_secret");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r--r--"));
    assertThatThrownBy(() -> serve(""))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("chmod 600")
        .hasMessageContaining(secret.toString());
  }

  @Test
  void aFileWithoutAKeyIsNamedAndNotShown() throws Exception {
    Path secret = folder.resolve("service.key_secret");
    Files.writeString(secret, "public-key = \"too short\"");
    assertThatThrownBy(() -> serve(""))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(secret.toString())
        .hasMessageNotContaining("too short");
    assertThatThrownBy(() -> serve("&curve-clients=/missing")).isInstanceOf(IOException.class);
  }
}
