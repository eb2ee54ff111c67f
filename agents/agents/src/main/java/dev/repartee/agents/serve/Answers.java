package dev.repartee.agents.serve;

import dev.repartee.agents.Answer;
import dev.repartee.agents.Consent;
import dev.repartee.agents.Question;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converts questions and answers for clients that answer with a text or with JSON. {@link Consent}
 * decides about questions of consent.
 */
final class Answers {
  /** How often a question is asked. If no answer is clear, it is refused. */
  static final int MOST = 3;

  private static final Json STRING = Json.of("string");

  private Answers() {}

  /**
   * Reads an answer.
   *
   * @param answer a string for an answer of text
   * @return the answer; null if it is not clear; then the question must be asked again
   */
  static @Nullable Answer of(Question question, Json answer) {
    Json form = form(question);
    Consent consent = Consent.of(answer);
    if (consent == Consent.NO) {
      return refused(answer);
    } else if (form == null) {
      return consent == Consent.YES ? agreed(answer) : null;
    }
    return answer.kind() == Json.Kind.OBJECT
        ? values(form, answer, consent)
        : text(question, form, answer.string());
  }

  /** Returns the form of a question; null for consent only, as in an elicitation without fields. */
  private static @Nullable Json form(Question question) {
    Json schema = question.schema();
    return schema == null || fields(schema).isEmpty() ? null : schema;
  }

  /** Returns the refusal of a question whose answers were not clear. */
  static Answer unclear() {
    return Answer.refused("the client was asked " + MOST + " times, and no answer was clear");
  }

  private static Answer refused(Json answer) {
    String reason = answer.kind() == Json.Kind.OBJECT ? answer.string("reason") : null;
    return Answer.refused(
        reason == null ? "the client answered '" + answer.text().strip() + "'" : reason);
  }

  private static Answer agreed(Json answer) {
    Json content = answer.kind() == Json.Kind.OBJECT ? answer.get("content") : null;
    return new Answer(true, content == null || content.isNull() ? null : content, null);
  }

  /** Reads the text of the only field of a form, or an object as text. */
  private static @Nullable Answer text(Question question, Json form, @Nullable String text) {
    if (text == null || text.isBlank()) {
      return null;
    }
    String field = onlyText(form);
    if (field != null) {
      return Answer.agreed(Json.of(Map.of(field, text)));
    }
    try {
      Json answer = Json.parse(text);
      return answer.kind() == Json.Kind.OBJECT ? of(question, answer) : null;
    } catch (JsonException e) {
      return null;
    }
  }

  /** Reads an object with the fields of a form, alone or as the content of a consent. */
  private static @Nullable Answer values(Json form, Json answer, Consent consent) {
    if (consent == Consent.UNCLEAR && names(form, answer, "granted", "action")) {
      return null;
    }
    Json content = consent == Consent.YES ? answer.get("content") : null;
    Json values = content == null ? answer : content;
    boolean fits = values.kind() == Json.Kind.OBJECT
        && fields(form).stream().anyMatch(field -> values.get(field.getKey()) != null);
    return fits ? Answer.agreed(values) : null;
  }

  /** Returns whether an answer has one of these members, without being the field of the form. */
  private static boolean names(Json schema, Json answer, String... members) {
    List<String> fields = fields(schema).stream().map(Map.Entry::getKey).toList();
    return Arrays.stream(members)
        .anyMatch(name -> answer.get(name) != null && !fields.contains(name));
  }

  /** Returns the name of the only field of a form if the field is a text; null otherwise. */
  static @Nullable String onlyText(Json schema) {
    List<Map.Entry<String, Json>> fields = fields(schema);
    return fields.size() == 1 && STRING.equals(member(fields.get(0).getValue(), "type"))
        ? fields.get(0).getKey()
        : null;
  }

  static List<Map.Entry<String, Json>> fields(Json schema) {
    Json properties = member(schema, "properties");
    return properties == null || properties.kind() != Json.Kind.OBJECT
        ? List.of()
        : List.copyOf(properties.members().entrySet());
  }

  private static @Nullable Json member(Json value, String name) {
    return value.kind() == Json.Kind.OBJECT ? value.get(name) : null;
  }

  /** Returns the text of a question for a client. */
  static String text(Question question) {
    String agent = question.agent();
    return agent == null ? question.message() : agent + ": " + question.message();
  }

  /** Returns the text of a question for a client after an answer that was not clear. */
  static String again(Question question) {
    Json schema = form(question);
    String form = schema == null
        ? "yes or no"
        : onlyText(schema) != null
            ? "a text"
            : "a JSON object with the members "
                + String.join(
                    ", ", fields(schema).stream().map(Map.Entry::getKey).toList());
    return "The answer was not clear. Answer with " + form + ". " + text(question);
  }
}
