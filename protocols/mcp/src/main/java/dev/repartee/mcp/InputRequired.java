package dev.repartee.mcp;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.types.InputRequest;
import dev.repartee.mcp.types.Revision;
import java.util.Map;

/**
 * Ends the handler of a stateless call that needs input of the client. The handler runs again from
 * its start when the input has arrived.
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

  /** Returns the form of a request in {@code inputRequests}. */
  static Json form(InputRequest request, Revision revision) {
    return new JsonObjectBuilder()
        .put("method", request.method())
        .put("params", request.params(revision))
        .build();
  }
}
