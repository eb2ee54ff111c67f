package dev.repartee.mcp;

import dev.repartee.Json;
import java.util.Map;

/**
 * Ends a handler of a stateless call that cannot go on before the client has told more; it runs anew
 * when the client has.
 */
final class InputRequired extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient Map<String, InputRequest> requests;

  InputRequired(Map<String, InputRequest> requests) {
    super("input of the client is required: " + requests.keySet(), null, false, false);
    this.requests = requests;
  }

  Map<String, InputRequest> requests() {
    return requests;
  }

  /** What the client is told that it is asked. */
  static Json form(InputRequest request, Revision revision) {
    return new Members()
        .put("method", request.method())
        .put("params", request.params(revision))
        .json();
  }
}
