package dev.repartee.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Peer;
import dev.repartee.broker.server.NatsServer;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Users, their credentials and their permissions. */
@Tag("ci")
class NatsAccessTest extends Fixture {
  private static final String SEED = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";

  private static NatsServer nats;

  @BeforeAll
  static void start() throws Exception {
    nats = Fixture.server("""
        authorization: {
          timeout: 60
          users: [
            { user: worker, password: "s3cret/word" }
            { user: alice, password: secret, permissions: {
                publish: ["math", "math.control", "math.control.*"]
                subscribe: ["_INBOX_alice.>", "math.events.>"] } }
            { nkey: UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4 }
          ]
        }
        """);
  }

  @AfterAll
  static void stop() throws Exception {
    if (nats != null) {
      nats.close();
    }
  }

  private static String uri(String credentials, String subject) {
    return "nats://" + credentials + "@127.0.0.1:" + nats.port() + "/" + subject;
  }

  private void serveMath(String subject) throws IOException {
    serve(uri("worker:s3cret%2Fword", subject), methods);
  }

  @Test
  void wrongCredentialsAreRefusedAndNotShown() {
    assertThatThrownBy(() -> client(uri("worker:wrong", "math")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("refuses these credentials")
        .hasMessageNotContaining("wrong");
    assertThatThrownBy(() -> client(nats.uri("math")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("refuses these credentials");
  }

  @Test
  void aPasswordMayStandInAFile() throws Exception {
    Path file = Files.writeString(nats.folder().resolve("password"), "s3cret/word\n");
    serveMath("filed");
    assertThat(
            client(uri("worker", "filed") + "#password-file=" + file).call("add", int.class, 1, 2))
        .isEqualTo(3);
  }

  @Test
  void aKeySignsTheChallengeOfTheServer() throws Exception {
    Path file = Files.writeString(nats.folder().resolve("seed"), SEED + "\n");
    serveMath("keyed");
    assertThat(client(nats.uri("keyed") + "#nkey=" + file).call("add", int.class, 1, 2))
        .isEqualTo(3);
  }

  @Test
  void aClientNeedsNoOtherPermissionsThanTheDocumentedOnes() throws Exception {
    serveMath("math");
    Peer alice = client(uri("alice:secret", "math") + "#inbox=_INBOX_alice&events=all");
    assertThat(alice.request("steps").args(3).onProgress(step -> {}).call(int.class))
        .isEqualTo(3);
    var call = alice.callAsync("block", String.class);
    seen("block");
    call.cancel(true);
    seen("cancelled");
    assertThat(reports).isEmpty();
  }

  @Test
  void aClientWithoutThePermissionForItsInboxIsNotOpened() {
    assertThatThrownBy(() -> client(uri("alice:secret", "math")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Permissions Violation")
        .hasMessageContaining("option inbox");
  }

  @Test
  void aCallWithoutThePermissionToPublishFailsAtOnce() throws Exception {
    Peer alice = client(uri("alice:secret", "other") + "#inbox=_INBOX_alice");
    assertThatThrownBy(() -> alice.request("add").timeout(LONG).call(int.class))
        .isInstanceOf(DisconnectedException.class)
        .hasMessageContaining("no permission to publish to 'other'");
  }

  @Test
  void aWorkerWithoutThePermissionToSubscribeIsNotOpened() {
    assertThatThrownBy(() -> serve(uri("alice:secret", "other"), methods))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Permissions Violation")
        .hasMessageContaining("a worker needs the permission");
  }
}
