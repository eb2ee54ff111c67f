package dev.repartee.agents;

import dev.repartee.json.Json;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks that an agreement answers its question. A consent without values does not answer a form:
 * the agent would receive a value that the human has not seen.
 */
final class Forms {
  private Forms() {}

  /** Returns the answer, or a refusal if the answer agrees without answering the question. */
  static Answer checked(Question question, Answer answer) {
    if (!answer.granted()) {
      return answer;
    }
    Json content = answer.content();
    String fault =
        question.schema() == null ? contradiction(content) : missing(question.schema(), content);
    return fault == null ? answer : Answer.refused(fault);
  }

  private static @Nullable String contradiction(@Nullable Json content) {
    return content != null && Consent.of(content) == Consent.NO
        ? "the answer agrees, and its content refuses"
        : null;
  }

  private static @Nullable String missing(Json schema, @Nullable Json content) {
    Map<String, Json> fields = members(schema.get("properties"));
    if (fields.isEmpty()) {
      return null;
    } else if (content == null || content.kind() != Json.Kind.OBJECT) {
      return "the question is a form, and the answer has no values";
    }
    Json required = schema.get("required");
    List<Json> names =
        required == null || required.kind() != Json.Kind.ARRAY ? List.of() : required.elements();
    for (Json name : names) {
      String field = name.string();
      if (field != null
          && content.get(field) == null
          && !members(fields.get(field)).containsKey("default")) {
        return "the question is a form, and the answer has no value for '" + field + "'";
      }
    }
    return null;
  }

  private static Map<String, Json> members(@Nullable Json value) {
    return value == null || value.kind() != Json.Kind.OBJECT ? Map.of() : value.members();
  }
}
