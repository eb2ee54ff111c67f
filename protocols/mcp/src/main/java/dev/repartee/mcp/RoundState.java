package dev.repartee.mcp;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.types.InputRequest;
import dev.repartee.mcp.wire.JsonObjectReader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The state of a stateless request between its rounds: the answers of the client, and the values of
 * {@link McpCall#once}. Values in the sealed request state take precedence over answers of a later
 * round. Only answers to questions of the last round count. Thread-safe.
 */
final class RoundState {
  private static final String KNOWN = "known";
  private static final String ASKED = "asked";

  /**
   * Answers and values of {@code once} by their keys; the next request state holds them. Guarded by
   * this.
   */
  private final Map<String, Json> known;

  private RoundState(Map<String, Json> known) {
    this.known = new LinkedHashMap<>(known);
  }

  /** Returns an empty state: for the first round, and for calls without rounds. */
  static RoundState none() {
    return new RoundState(Map.of());
  }

  /**
   * Returns the contents of a request state together with the answers to its questions. Other
   * answers are ignored.
   *
   * @throws dev.repartee.RpcException -32602 if an answer is not an object
   */
  static RoundState of(Json state, Map<String, Json> answers) {
    Map<String, Json> known = new LinkedHashMap<>();
    for (String key : JsonObjectReader.of(state).stringList(ASKED)) {
      Json answer = answers.get(key);
      if (answer != null) {
        if (answer.kind() != Json.Kind.OBJECT) {
          throw JsonObjectReader.invalid("inputResponses." + key + ": expected an object");
        }
        known.put(key, answer);
      }
    }
    Json sealed = state.get(KNOWN);
    known.putAll(sealed == null ? Map.of() : sealed.members());
    return new RoundState(known);
  }

  /** Returns the answers to the requests; {@code more} receives the requests without an answer. */
  CompletionStage<Map<String, Json>> take(
      Map<String, ? extends InputRequest> requests,
      Function<Map<String, InputRequest>, CompletionStage<Map<String, Json>>> more) {
    Map<String, Json> taken = new LinkedHashMap<>();
    Map<String, InputRequest> missing = new LinkedHashMap<>();
    synchronized (this) {
      requests.forEach((key, request) -> {
        Json answer = known.get(key);
        if (answer == null) {
          missing.put(key, request);
        } else {
          taken.put(key, answer);
        }
      });
    }
    return missing.isEmpty()
        ? CompletableFuture.completedStage(taken)
        : more.apply(missing).thenApply(answered -> {
          synchronized (this) {
            known.putAll(answered);
          }
          taken.putAll(answered);
          return taken;
        });
  }

  synchronized Json once(String key, Supplier<?> what) {
    Json value = known.get(key);
    if (value == null) {
      value = Json.of(what.get());
      known.put(key, value);
    }
    return value;
  }

  /** Returns the next request state, with questions of the given keys. */
  synchronized Json state(Set<String> asked) {
    return new JsonObjectBuilder()
        .put(KNOWN, Json.of(known))
        .put(ASKED, List.copyOf(asked))
        .build();
  }
}
