package dev.repartee.examples.a2a;

import dev.repartee.a2a.server.Turn;
import dev.repartee.a2a.types.Artifact;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.Part;
import dev.repartee.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * The behaviour that the TCK of A2A expects of an agent. The suite names a scenario by the beginning
 * of the id of a message.
 */
final class SuiteScenarios {
  private static final Part FILE =
      Part.file("output.txt", "text/plain", "content".getBytes(StandardCharsets.UTF_8));

  /** The time of a task that the suite subscribes to again. */
  private static final Duration LONG = Duration.ofSeconds(4);

  /** Plays the scenario of a message; returns false if the message names none. */
  boolean play(Turn turn) throws InterruptedException {
    String id = turn.message().messageId();
    boolean old = id.contains("-message-id") // of the suite of version 0.3
        || id.startsWith("test-history-message-");
    if (!id.startsWith("tck-") && !old) {
      return false;
    }
    if (id.startsWith("test-resubscribe-message-id")) {
      turn.working();
      turn.cancellation().sleep(LONG);
      turn.complete();
    } else if (old) {
      turn.requireInput("Input required");
    } else if (id.startsWith("tck-stream")) {
      stream(turn, id);
    } else if (id.startsWith("tck-artifact")) {
      turn.artifact(Artifact.of("result", result(id)));
      turn.complete();
    } else if (id.startsWith("tck-message-response")) {
      turn.reply(Message.agent("Direct message response"));
    } else if (id.startsWith("tck-input-required")) {
      turn.requireInput("Input required");
    } else if (id.startsWith("tck-reject-task")) {
      turn.reject("rejected");
    } else {
      turn.complete("Hello from TCK");
    }
    return true;
  }

  private static Part result(String id) {
    if (id.startsWith("tck-artifact-file-url")) {
      return Part.link("output.txt", "text/plain", "https://example.com/output.txt");
    } else if (id.startsWith("tck-artifact-file")) {
      return FILE;
    } else if (id.startsWith("tck-artifact-data")) {
      return Part.data(Json.parse("{\"key\":\"value\",\"count\":42}"));
    }
    return Part.text("Generated text content");
  }

  private static void stream(Turn turn, String id) {
    if (id.startsWith("tck-stream-002")) {
      turn.complete();
      return;
    }
    turn.working();
    if (id.startsWith("tck-stream-artifact-chunked")) {
      Artifact chunks = Artifact.of("result", Part.text("chunk-1 "));
      turn.beginArtifact(chunks);
      turn.append(chunks.artifactId(), true, Part.text("chunk-2"));
    } else {
      turn.artifact(Artifact.of("result", streamed(id)));
    }
    turn.complete();
  }

  private static Part streamed(String id) {
    if (id.startsWith("tck-stream-artifact-file")) {
      return FILE;
    } else if (id.startsWith("tck-stream-artifact")) {
      return Part.text("Streamed text content");
    } else if (id.startsWith("tck-stream-003")) {
      return Part.text("Stream task lifecycle");
    } else if (id.startsWith("tck-stream-ordering")) {
      return Part.text("Ordered output");
    }
    return Part.text("Stream hello from TCK");
  }
}
