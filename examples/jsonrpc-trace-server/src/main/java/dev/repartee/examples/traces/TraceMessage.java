package dev.repartee.examples.traces;

import dev.repartee.json.Json;
import dev.repartee.message.Id;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A valid message. Its text is not kept: the positions are indexes in the line, each with its end.
 * Immutable.
 *
 * @param idFrom the position of the id, or of the message if it has none
 * @param methodFrom the position of the method, or of the message if it has none
 * @param method null for a response
 * @param id null for a notification
 * @param error the error of a response
 * @param tokens the tokens for progress that a request carries
 * @param reference the request to which the params refer, as those of {@code $/cancelRequest} do
 */
record TraceMessage(
    int from,
    int to,
    int idFrom,
    int idTo,
    int methodFrom,
    int methodTo,
    @Nullable String method,
    @Nullable Id id,
    @Nullable String error,
    List<Json> tokens,
    @Nullable Reference reference) {
  private static final int LONGEST = 200;

  boolean isRequest() {
    return method != null && id != null;
  }

  boolean isResponse() {
    return method == null;
  }

  /** Returns the method, in a form that can be shown. */
  String name() {
    if (method == null || method.isBlank()) {
      return "(no name)";
    }
    return method.length() <= LONGEST ? method : method.substring(0, LONGEST) + "...";
  }
}
