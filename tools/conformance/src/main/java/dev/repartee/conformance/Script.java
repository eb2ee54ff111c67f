package dev.repartee.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The behaviour of a server after a client's call.
 *
 * @param answers the messages to send together; a string is sent as its text, valid or not
 * @param awaits the response that the client must send to them, or null
 * @param then the messages to send after that response
 * @param end whether the server closes the connection at the end
 * @param status the status of the HTTP reply
 */
record Script(
    List<Json> answers, @Nullable Answer awaits, List<Json> then, boolean end, int status) {
  /** Reads a script in the notation of the corpus. */
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

  /** Returns the texts of the answers to a call with that id. */
  static List<byte[]> texts(List<Json> answers, Json id) {
    return answers.stream()
        .map(answer -> answer.text())
        .map(text -> text.replace("\"$id\"", id.toString()).getBytes(UTF_8))
        .toList();
  }
}
