package dev.repartee.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a server says to a client's call.
 *
 * @param answers at once; a string is a text, right or wrong
 * @param awaits what the client owes to them, or null
 * @param then when it has come
 * @param end whether the connection ends then
 * @param status of an HTTP reply
 */
record Script(
    List<Json> answers, @Nullable Answer awaits, List<Json> then, boolean end, int status) {
  static Script of(Json written) {
    Json answers = written.get("answers");
    Json awaits = written.get("awaits");
    Json then = written.get("then");
    Json status = written.get("status");
    return new Script(
        answers == null ? List.of() : answers.elements(),
        awaits == null ? null : new Answer(awaits),
        then == null ? List.of() : then.elements(),
        written.get("end") != null,
        status == null ? 200 : status.as(int.class));
  }

  /** The answers to a call with that id. */
  static List<byte[]> texts(List<Json> answers, Json id) {
    return answers.stream()
        .map(answer ->
            answer.kind() == Json.Kind.STRING ? answer.as(String.class) : answer.toString())
        .map(text -> text.replace("\"$id\"", id.toString()).getBytes(UTF_8))
        .toList();
  }
}
