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
  /** The number of times that a question is asked. Without a clear answer it is refused then. */
  static final int MOST = 3;

  private static final Json STRING = Json.of("string");

  private Answers() {}

  /**
   * Reads an answer.
   *
   * @param answer a string for an answer of text
   * @return the answer; null if it is not clear, so that the question has to be asked again
   */
  static @Nullable Answer of(Question question, Json answer) {
    Json form = form(question);
    return switch (Consent.of(answer)) {
      case NO -> refused(answer);
      case YES -> form == null ? agreed(answer) : form(form, answer);
      case UNCLEAR -> form == null ? null : form(form, answer);
    };
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

  /** Reads the values of a form: an object with its fields, or the text of its only field. */
  private static @Nullable Answer form(Json schema, Json answer) {
    if (answer.kind() == Json.Kind.OBJECT) {
      return object(schema, answer);
    }
    String text = answer.string();
    if (text == null || text.isBlank()) {
      return null;
    }
    String field = onlyText(schema);
    return field == null ? parsed(schema, text) : Answer.agreed(Json.of(Map.of(field, text)));
  }

  private static @Nullable Answer object(Json schema, Json answer) {
    Consent consent = Consent.of(answer);
    if (consent == Consent.NO) {
      return refused(answer);
    } else if (consent == Consent.UNCLEAR && names(schema, answer, "granted", "action")) {
      return null;
    }
    Json content = consent == Consent.YES ? answer.get("content") : null;
    return values(schema, content == null ? answer : content);
  }

  /** Returns whether an answer has one of these members, without being the field of the form. */
  private static boolean names(Json schema, Json answer, String... members) {
    List<String> fields = fields(schema).stream().map(Map.Entry::getKey).toList();
    return Arrays.stream(members)
        .anyMatch(name -> answer.get(name) != null && !fields.contains(name));
  }

  private static @Nullable Answer parsed(Json schema, String text) {
    try {
      Json answer = Json.parse(text);
      return answer.kind() == Json.Kind.OBJECT ? object(schema, answer) : null;
    } catch (JsonException e) {
      return null;
    }
  }

  private static @Nullable Answer values(Json schema, Json content) {
    List<Map.Entry<String, Json>> fields = fields(schema);
    boolean fits = content.kind() == Json.Kind.OBJECT
        && fields.stream().anyMatch(field -> content.get(field.getKey()) != null);
    return fits ? Answer.agreed(content) : null;
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
