package dev.repartee.build.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.HttpRoutes;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.a2a.client.A2aClient;
import dev.repartee.a2a.push.PushNotifications;
import dev.repartee.a2a.types.AgentCard;
import dev.repartee.a2a.types.Message;
import dev.repartee.transport.http.HttpRequest;
import java.security.KeyPairGenerator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Runs the code of protocols/a2a/README.md and docs/a2a.md. */
class A2aTourTest {
  @Test
  void anAgentRepeatsAMessage() throws Exception {
    try (Server server = A2aTour.echo("http://127.0.0.1:0/");
        A2aClient client = A2aClient.connect(server.endpoint().toString())) {
      assertThat(((Message) client.send(Message.user("hi"))).text()).isEqualTo("hi");
    }
  }

  @Test
  void anAgentTranslatesPieceByPiece() throws Exception {
    PushNotifications push = PushNotifications.builder().build();
    try (Server server = A2aTour.translator(push).listen("http://127.0.0.1:0/")) {
      List<String> seen = A2aTour.ask(server.endpoint().toString());
      assertThat(seen).startsWith("Task", "TaskStatusUpdateEvent", "TaskArtifactUpdateEvent");
      assertThat(seen.get(seen.size() - 2)).contains("GOOD", "MORNING");
      assertThat(seen.get(seen.size() - 1)).isEqualTo("COMPLETED of 2");
    }
  }

  @Test
  void anAddressGetsPushNotifications() throws Exception {
    BlockingQueue<HttpRequest> notices = new LinkedBlockingQueue<>();
    HttpRoutes routes = HttpRoutes.builder()
        .at("/hook", (request, reply) -> {
          notices.add(request);
          reply.answer(200, Map.of(), new byte[0]);
        })
        .build();
    PushNotifications push = PushNotifications.builder().allowPrivateAddresses().build();
    try (Server receiver = Repartee.listen("http://127.0.0.1:0", routes);
        Server server = A2aTour.translator(push).listen("http://127.0.0.1:0/");
        A2aClient client = A2aClient.builder()
            .header("Authorization", "Bearer secret")
            .connect(server.endpoint().toString())) {
      A2aTour.later(client, receiver.endpoint() + "hook");
      HttpRequest notice = notices.poll(60, TimeUnit.SECONDS);
      assertThat(notice.header("x-a2a-notification-token")).isEqualTo("s3cret");
    }
  }

  @Test
  void aCardIsSigned() throws Exception {
    var pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    AgentCard card = AgentCard.builder("Echo", "Repeats messages", "1.0.0").build();
    AgentCard signed = A2aTour.signed(card, pair.getPrivate());
    assertThat(signed.signatures()).hasSize(1);
  }
}
