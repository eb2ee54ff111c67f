package dev.repartee.agents.kinds;

import dev.repartee.agents.Answer;
import dev.repartee.agents.Task;
import dev.repartee.json.Json;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A question of a protocol that does not distinguish consent from other questions: the agent may
 * ask for a name, or whether to delete a file. Therefore the human answers with a text, and the
 * agent receives that text.
 */
final class TextQuestion {
  private static final String FIELD = "answer";

  private static final Json FORM = Json.parse("{\"type\":\"object\",\"properties\":{\"" + FIELD
      + "\":{\"type\":\"string\"}},\"required\":[\"" + FIELD + "\"]}");

  private TextQuestion() {}

  /** Asks the human of a task, without waiting for the answer. */
  static CompletionStage<Answer> ask(Task task, String agent, String message) {
    return task.ask(agent, message, FORM);
  }

  /** Returns the text of the human; null if the human has refused to answer. */
  static @Nullable String text(Answer answer) {
    Json content = answer.granted() ? answer.content() : null;
    Json text = content == null ? null : content.get(FIELD);
    return text == null ? null : text.text();
  }
}
