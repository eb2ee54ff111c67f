package dev.repartee.openrpc.schema;

import dev.repartee.json.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The budget of time and memory of one validation, derived from the sizes of the value and the
 * schema. The time begins with this object. Not thread-safe.
 *
 * <p>The validator does not limit time or memory. It reads every value through a {@link SchemaNode}
 * and evaluates every keyword through {@link BoundedKeywords}; these classes count steps and memory
 * here. Both budgets only shrink. The clock and the cancellation are checked once in {@link
 * #STRIDE} steps, because a check is much slower than a step.
 */
public final class Effort {
  /** The steps per byte of the value, in addition to a tenth of the bytes of the schema. */
  private static final int STEPS = 100;

  /** The bytes added to the size of the value, so that small values have enough steps. */
  private static final int SPARE = 1_000;

  /** The maximum time of a check on a thread that need not do anything else. */
  static final Duration MOST_TIME = Duration.ofSeconds(30);

  /** The number of steps between two checks of the clock. */
  private static final int STRIDE = 1 << 12;

  /**
   * The number of evaluations between two checks of the clock. One evaluation may need
   * milliseconds, for example {@code unevaluatedItems} in a large value.
   */
  private static final int EVALUATIONS = 1 << 6;

  private static final long SPARE_MEMORY = 8 << 20;

  /** The bytes of memory per byte of the value. */
  private static final int MEMORY = 60;

  /**
   * The assumed memory of an outcome that the validator keeps: the outcome, its place, its text.
   */
  private static final int OUTCOME = 200;

  /** The assumed memory of each member or element of a value with an outcome. */
  private static final int PART = 40;

  /** The maximum length that a reference adds to the path of each outcome below it. */
  private static final int PATH = 32;

  /**
   * Reports that the validation would exceed the budget. The message is the end of a sentence about
   * the value.
   */
  public static final class ExceededException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ExceededException(String message) {
      super(message, null, false, false); // no stack trace: hostile input must be cheap
    }
  }

  private final Runnable cancellation;
  private final boolean refers;
  private final long end;
  private final List<SchemaNode.Place> places = new ArrayList<>();
  private long steps;
  private long untilLook = STRIDE;
  private long memory;

  /**
   * @param refers true if the schema has references
   * @param time the maximum time
   * @param cancellation throws if the call was cancelled
   */
  Effort(Json value, Json schema, boolean refers, Duration time, Runnable cancellation) {
    this.end = System.nanoTime() + time.toNanos();
    this.steps = (long) (SPARE + value.length()) * (STEPS + schema.length() / 10);
    this.memory = SPARE_MEMORY + (long) MEMORY * value.length();
    this.refers = refers;
    this.cancellation = cancellation;
  }

  /**
   * Counts reads: one for a value or for a character of it, more for a long number or text.
   *
   * @throws ExceededException if the steps or the time are used up
   */
  void steps(int count) {
    steps -= count;
    pass(count);
  }

  /**
   * Counts the evaluation of a keyword, which need not read the value: with only {@code $ref} and
   * {@code allOf}, a schema of a few lines can need 2 to the power of 60 evaluations.
   *
   * @throws ExceededException if the steps or the time are used up
   */
  void evaluation() {
    steps--;
    pass(STRIDE / EVALUATIONS);
  }

  private void pass(int share) {
    untilLook -= share;
    if (untilLook <= 0) {
      look();
    }
  }

  /**
   * Checks the clock and the cancellation.
   *
   * @throws ExceededException if the steps or the time are used up
   */
  void look() {
    untilLook = STRIDE;
    cancellation.run();
    if (steps <= 0 || System.nanoTime() - end > 0) {
      throw new ExceededException("takes too long to be checked");
    }
  }

  /**
   * Counts an outcome that the validator keeps.
   *
   * @param parts the number of members or elements of the value
   * @throws ExceededException if the memory is used up
   */
  void outcome(SchemaNode.Place place, int parts) {
    memory -= OUTCOME + (long) PART * parts + (refers ? (long) PATH * place.depth() : 0);
    if (memory < 0) {
      throw new ExceededException("needs too much memory to be checked");
    }
  }

  /**
   * Returns a short name of a place. A JSON pointer would be as long as all names on the path to
   * it.
   */
  String name(SchemaNode.Place place) {
    places.add(place);
    return String.valueOf(places.size() - 1);
  }

  /** Returns the place for a name that {@link #name} returned. */
  SchemaNode.Place place(String name) {
    return places.get(Integer.parseInt(name));
  }
}
