package dev.repartee.mcp;

import dev.repartee.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What a request has brought along of earlier rounds: the answers of the client, and what the handler
 * did once. What a state holds is sealed, so it wins over what the client says in a later round; and the
 * client's answers count only for the questions that the state has asked. Thread-safe.
 */
final class Inputs {
  private static final String KNOWN = "known";
  private static final String ASKED = "asked";

  /** What was answered by now, or done once; what the next state holds. Guarded by this. */
  private final Map<String, Json> known;

  private Inputs(Map<String, Json> known) {
    this.known = new LinkedHashMap<>(known);
  }

  /** Nothing: of a call that cannot ask in this way, or that asks for the first time. */
  static Inputs none() {
    return new Inputs(Map.of());
  }

  /**
   * Returns what a state holds together with the answers to what it asked; other answers are ignored.
   *
   * @throws dev.repartee.RpcException -32602 if an answer is no object
   */
  static Inputs of(Json state, Map<String, Json> answers) {
    Map<String, Json> known = new LinkedHashMap<>();
    for (String key : Fields.of(state).stringList(ASKED)) {
      Json answer = answers.get(key);
      if (answer != null) {
        if (answer.kind() != Json.Kind.OBJECT) {
          throw Fields.invalid("inputResponses." + key + ": expected an object");
        }
        known.put(key, answer);
      }
    }
    Json sealed = state.get(KNOWN);
    known.putAll(sealed == null ? Map.of() : sealed.members());
    return new Inputs(known);
  }

  /** The answers to those requests; what is missing is got by {@code more}. */
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

  /** Returns what the next round has to know, which is asked that. */
  synchronized Json state(Set<String> asked) {
    return new Members()
        .put(KNOWN, Json.of(known))
        .put(ASKED, List.copyOf(asked))
        .json();
  }
}
