package dev.repartee.examples.a2a;

import dev.repartee.a2a.server.Agent;
import dev.repartee.a2a.server.Turn;
import dev.repartee.a2a.types.Artifact;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.Part;
import java.time.Duration;
import java.util.List;

/**
 * Writes a poem about the words of a message, line by line; streams therefore show the progress.
 * Asks for a word if there is none. Messages of the test suite get the answers that it expects.
 */
final class Poet implements Agent {
  private static final List<String> LINES = List.of(
      "There once was a %s in spring,\n",
      "Which nobody asked how to sing;\n",
      "But give it a name,\n",
      "And it rises to fame:\n",
      "O %s, you wonderful thing!\n");

  private static final Duration PAUSE = Duration.ofMillis(50);

  private final SuiteScenarios scenarios = new SuiteScenarios();

  @Override
  public void handle(Turn turn) throws Exception {
    if (scenarios.play(turn)) {
      return;
    }
    String topic = turn.message().text().strip();
    if (topic.equals("hello")) {
      turn.reply(Message.agent("Hello! Send me a word, and I write a poem about it."));
    } else if (topic.isEmpty() || topic.equals("poem")) {
      turn.requireInput("What is the poem about?");
    } else {
      write(turn, topic);
    }
  }

  private static void write(Turn turn, String topic) throws InterruptedException {
    turn.working("I am thinking of " + topic + ".");
    Artifact poem = Artifact.of("poem", Part.text(line(0, topic)));
    turn.beginArtifact(poem);
    for (int i = 1; i < LINES.size(); i++) {
      turn.cancellation().sleep(PAUSE); // throws an exception if the task is cancelled
      boolean last = i == LINES.size() - 1;
      turn.append(poem.artifactId(), last, Part.text(line(i, topic)));
    }
    turn.complete();
  }

  private static String line(int index, String topic) {
    return LINES.get(index).replace("%s", topic);
  }
}
