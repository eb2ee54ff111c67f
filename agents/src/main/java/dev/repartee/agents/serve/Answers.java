package dev.repartee.agents.serve;

import dev.repartee.agents.Answer;
import dev.repartee.agents.Question;
import dev.repartee.json.Json;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Reads answers that a client gives as a text. */
final class Answers {
  /** The texts that refuse; any other one agrees. */
  private static final Set<String> REFUSALS = Set.of("no", "n", "reject", "refuse", "cancel");

  private Answers() {}

  static Answer of(Question question, String text) {
    if (REFUSALS.contains(text.strip().toLowerCase(Locale.ROOT))) {
      return Answer.refused("the client answered '" + text.strip() + "'");
    }
    return question.schema() == null
        ? Answer.agreed()
        : Answer.agreed(Json.of(Map.of("answer", text)));
  }

  /** Returns the text of a question for a client. */
  static String text(Question question) {
    String who = question.agent();
    return who == null ? question.message() : who + ": " + question.message();
  }
}
