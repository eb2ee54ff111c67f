package dev.repartee.a2a;

import dev.repartee.a2a.server.A2aServer;
import dev.repartee.a2a.server.Agent;
import dev.repartee.a2a.server.Turn;
import dev.repartee.a2a.types.AgentCard;
import dev.repartee.a2a.types.AgentCardBuilder;
import dev.repartee.a2a.types.AgentSkill;
import dev.repartee.a2a.types.Artifact;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.Part;
import dev.repartee.json.Json;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** An agent with a behaviour for the first word of each message. */
public final class TestAgent implements Agent {
  /** The agent acquires one permit for each {@code step}. */
  public final Semaphore steps = new Semaphore(0);

  /** Released when a turn with the word {@code wait} was cancelled. */
  public final CountDownLatch cancelled = new CountDownLatch(1);

  public static AgentCardBuilder card() {
    return AgentCard.builder("Test", "Does what it is told", "1.2.3")
        .streaming()
        .skill(new AgentSkill("obey", "Obey", "Does what it is told", List.of("test")));
  }

  public A2aServer.Builder server() {
    return A2aServer.builder(card().build()).agent(this);
  }

  @Override
  public void handle(Turn turn) throws Exception {
    String[] words = turn.message().text().split(" ", 2);
    String rest = words.length > 1 ? words[1] : "";
    switch (words[0]) {
      case "say" -> turn.reply(Message.agent(rest));
      case "work" -> {
        turn.working("begun");
        turn.artifact(Artifact.of("result", Part.text(rest)));
        turn.complete("done");
      }
      case "files" -> {
        turn.artifact(Artifact.of(
            "files",
            Part.file("a.bin", "application/octet-stream", new byte[] {1, 2, (byte) 255}),
            Part.link("b.txt", "text/plain", "https://example.com/b.txt"),
            Part.data(Json.parse("{\"n\":12345678901234567890}"))));
        turn.complete();
      }
      case "steps" -> {
        turn.working();
        pass();
        Artifact text =
            new Artifact("text", "text", null, List.of(Part.text("one ")), null, List.of());
        turn.beginArtifact(text);
        pass();
        turn.append("text", true, Part.text("two"));
        pass();
        turn.complete();
      }
      case "ask" -> turn.requireInput("Which colour?");
      case "blue", "red" -> {
        turn.artifact(Artifact.of("colour", Part.text(words[0])));
        turn.complete("thank you");
      }
      case "wait" -> {
        try {
          turn.working(); // the client may cancel the new task before this status
          turn.cancellation().sleep(Duration.ofMinutes(5));
        } catch (CancellationException e) {
          cancelled.countDown();
          throw e;
        }
      }
      case "reject" -> turn.reject("not today");
      case "break" -> {
        if (rest.equals("later")) {
          turn.working();
        }
        throw new IllegalStateException("a secret of the agent");
      }
      default -> {}
    }
  }

  private void pass() throws InterruptedException {
    if (!steps.tryAcquire(60, TimeUnit.SECONDS)) {
      throw new IllegalStateException("the test gave no permit");
    }
  }
}
