package dev.repartee.mcp.client;

import dev.repartee.ProtocolException;
import dev.repartee.RpcException;
import dev.repartee.json.Json;
import dev.repartee.mcp.types.Elicitation;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Answers the input requests of one call, or of one wait for a task. The numbers of rounds and of
 * questions in a round are limited, because each question may be put to a user. Stops asking when
 * the call ends. Not thread-safe: a round begins after the previous round has ended.
 */
final class Questions {
  /** The maximum number of rounds. */
  private static final int ROUNDS = 32;

  /** The maximum number of questions in a round. */
  private static final int QUESTIONS = 64;

  /**
   * The maximum number of characters of a key. Limited because a task keeps the keys of all rounds.
   */
  private static final int KEY = 4_096;

  private final Inputs inputs;
  private final @Nullable Function<Elicitation, Elicitation.Answer> own;
  private final Future<?> call;
  private final CallClock clock;
  private int rounds;

  /**
   * Creates the questions of a call.
   *
   * @param own answers elicitations; null for the handler of the client
   * @param call the future of the result
   * @param clock the clock of the call
   */
  Questions(
      Inputs inputs,
      @Nullable Function<Elicitation, Elicitation.Answer> own,
      Future<?> call,
      CallClock clock) {
    this.inputs = inputs;
    this.own = own;
    this.call = call;
    this.clock = clock;
  }

  /** Returns the number of rounds so far. */
  int rounds() {
    return rounds;
  }

  /**
   * Begins a round.
   *
   * @param broken returns the failure for a broken rule
   */
  void begin(Function<String, ProtocolException> broken) {
    if (++rounds > ROUNDS) {
      throw broken.apply("it asked for input more than " + ROUNDS + " times");
    }
  }

  /**
   * Answers the questions of a round with the handlers of the client, one after the other.
   *
   * @param questions the questions by key
   * @param broken returns the failure for a broken rule
   * @return the answers by key, an object
   * @throws CancellationException if the call ends before all questions are answered
   */
  Json answers(Map<String, Json> questions, Function<String, ProtocolException> broken) {
    if (questions.size() > QUESTIONS) {
      throw broken.apply("it asked " + questions.size() + " questions in one round, more than the "
          + QUESTIONS + " that this client answers");
    }
    for (String key : questions.keySet()) {
      if (key.length() > KEY) {
        throw broken.apply("inputRequests: a key has " + key.length()
            + " characters, more than the " + KEY + " that this client keeps");
      }
    }
    Map<String, Json> all = new LinkedHashMap<>();
    questions.forEach((key, question) -> all.put(key, answer(key, question, broken)));
    return Json.of(all);
  }

  private Json answer(String key, Json question, Function<String, ProtocolException> broken) {
    if (call.isDone()) {
      throw new CancellationException("the call has ended; its other questions are not answered");
    }
    String method = question.string("method");
    if (method == null) {
      throw broken.apply("inputRequests." + key + ": missing: method");
    }
    try {
      return inputs.answer(method, question.get("params"), own, clock);
    } catch (RpcException e) {
      throw broken.apply("inputRequests." + key + ": " + e.error().message());
    }
  }
}
