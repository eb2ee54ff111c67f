package dev.repartee.build.snippets;

import dev.repartee.Server;
import dev.repartee.a2a.client.A2aClient;
import dev.repartee.a2a.client.EventStream;
import dev.repartee.a2a.push.PushNotifications;
import dev.repartee.a2a.server.A2aServer;
import dev.repartee.a2a.server.Agent;
import dev.repartee.a2a.server.Turn;
import dev.repartee.a2a.signing.CardSignatures;
import dev.repartee.a2a.signing.SigningKey;
import dev.repartee.a2a.types.AgentCard;
import dev.repartee.a2a.types.AgentInterface;
import dev.repartee.a2a.types.AgentSkill;
import dev.repartee.a2a.types.Artifact;
import dev.repartee.a2a.types.ListTasksRequest;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.Part;
import dev.repartee.a2a.types.SendMessageConfiguration;
import dev.repartee.a2a.types.SendMessageRequest;
import dev.repartee.a2a.types.StreamResponse;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskPushNotificationConfig;
import dev.repartee.transport.http.HttpRequest;
import java.io.IOException;
import java.security.PrivateKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The code of protocols/a2a/README.md and docs/a2a.md. */
final class A2aTour {
  private A2aTour() {}

  static Server echo(String uri) throws IOException {
    AgentCard card = AgentCard.builder("Echo", "Repeats messages", "1.0.0").build();
    return A2aServer.builder(card)
        .agent(Agent.replying(message -> Message.agent(message.text())))
        .build()
        .listen(uri);
  }

  static void translate(Turn turn) throws InterruptedException {
    String text = turn.message().text();
    if (text.isBlank()) {
      turn.requireInput("Which text shall I translate?");
      return;
    }
    turn.working("I translate " + text.length() + " characters.");
    Artifact translation = Artifact.of("translation", Part.text(""));
    turn.beginArtifact(translation);
    for (String word : text.split(" ")) {
      turn.cancellation().sleep(Duration.ofMillis(1)); // ends the agent if the task is cancelled
      turn.append(translation.artifactId(), false, Part.text(word.toUpperCase()));
    }
    turn.complete();
  }

  static A2aServer translator(PushNotifications push) {
    AgentCard card = AgentCard.builder("Translator", "Translates to capitals", "1.0.0")
        .streaming()
        .pushNotifications()
        .skill(new AgentSkill("capitals", "Capitals", "Writes a text in capitals", List.of("text")))
        .build();
    return A2aServer.builder(card)
        .agent(A2aTour::translate)
        .authentication(A2aTour::client)
        .push(push)
        .build();
  }

  private static @Nullable String client(HttpRequest request) {
    return "Bearer secret".equals(request.header("authorization")) ? "ann" : null;
  }

  static List<String> ask(String url) {
    List<String> seen = new ArrayList<>();
    try (A2aClient client =
        A2aClient.builder().header("Authorization", "Bearer secret").connect(url)) {
      try (EventStream events = client.stream(Message.user("good morning"))) {
        for (StreamResponse event : events) {
          seen.add(event.getClass().getSimpleName());
        }
        seen.add(String.valueOf(events.task().artifacts()));
      }
      Task asked = (Task) client.send(Message.user(" "));
      Task done = (Task) client.send(Message.user("good night").continuing(asked));
      seen.add(done.state() + " of " + client.tasks(new ListTasksRequest()).totalSize());
    }
    return seen;
  }

  static Task later(A2aClient client, String hook) {
    SendMessageRequest request = new SendMessageRequest(Message.user("a long text"))
        .withConfiguration(new SendMessageConfiguration()
            .withReturnImmediately(true)
            .withTaskPushNotificationConfig(
                new TaskPushNotificationConfig(hook).withToken("s3cret")));
    return (Task) client.send(request);
  }

  static AgentCard signed(AgentCard card, PrivateKey key) {
    AgentCard complete = card.toBuilder()
        .interfaces(AgentInterface.jsonRpc("https://agent.example.com/a2a", "1.0"))
        .build();
    return CardSignatures.sign(complete, SigningKey.of("key-1", key));
  }
}
