package dev.repartee.agents.serve;

import dev.repartee.agents.Answer;
import dev.repartee.agents.Question;
import dev.repartee.json.Json;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Converts questions and answers for clients that answer with a text. */
final class Answers {
  /** The texts that refuse a question. All others agree. */
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
    String agent = question.agent();
    return agent == null ? question.message() : agent + ": " + question.message();
  }
}
