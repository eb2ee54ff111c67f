package dev.repartee.mcp;

import dev.repartee.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What a request has brought along of earlier rounds: the answers of the client, and what the handler
 * did once. Thread-safe.
 */
final class Inputs {
  /** What was answered in earlier rounds, or done once; what the state consists of. */
  private final Map<String, Json> known;

  /** What is answered in this round, to be known from the next one on. */
  private final Map<String, Json> answers;

  private Inputs(Map<String, Json> known, Map<String, Json> answers) {
    this.known = new LinkedHashMap<>(known);
    this.answers = answers;
  }

  /** Nothing: of a call that cannot ask in this way, or that asks for the first time. */
  static Inputs none() {
    return new Inputs(Map.of(), Map.of());
  }

  /** What the state says that was given out, and the answers that came with it. */
  static Inputs of(Json state, Map<String, Json> answers) {
    return new Inputs(state.members(), answers);
  }

  /** The answers to those requests; what is missing is got by {@code more}. */
  CompletionStage<Map<String, Json>> take(
      Map<String, ? extends InputRequest> requests,
      Function<Map<String, InputRequest>, CompletionStage<Map<String, Json>>> more) {
    Map<String, Json> taken = new LinkedHashMap<>();
    Map<String, InputRequest> missing = new LinkedHashMap<>();
    synchronized (this) {
      requests.forEach((key, request) -> {
        Json answer = answers.getOrDefault(key, known.get(key));
        if (answer == null) {
          missing.put(key, request);
        } else {
          taken.put(key, answer);
          known.put(key, answer);
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

  /** What the next round has to know. */
  synchronized Json state() {
    return Json.of(known);
  }
}
