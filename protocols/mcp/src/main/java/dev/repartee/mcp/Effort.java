package dev.repartee.mcp;

import dev.repartee.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Bounds the time and the memory that one validation takes, by the size of the value and of the schema.
 * For one thread.
 *
 * <p>The validator offers no limit of its own. But it looks at each value through its {@link SchemaNode},
 * again and again, so the nodes report here.
 */
final class Effort {
  /** The steps that each byte may take, besides a tenth of the bytes of the schema. */
  private static final int STEPS = 100;

  /** Bytes that are added to each size, so that small values have room enough. */
  private static final int SPARE = 1_000;

  private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** The steps between two looks at the clock. */
  private static final int STRIDE = 1 << 12;

  private static final long SPARE_MEMORY = 8 << 20;

  /** The bytes of memory that each byte of the value may take. */
  private static final int MEMORY = 60;

  /** What the validator keeps for each outcome: the outcome, its place, its text. */
  private static final int OUTCOME = 200;

  /** What it keeps for each member or element of an object or array that it has looked at. */
  private static final int PART = 40;

  /** What a reference adds, at most, to the path of each outcome below it. */
  private static final int PATH = 32;

  /** A value that cannot be checked within bounds, and why. */
  static final class ExceededException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ExceededException(String message) {
      super(message, null, false, false); // hostile input must stay cheap to refuse
    }
  }

  private final Runnable cancellation;
  private final boolean refers;
  private final long end = System.nanoTime() + MOST_NANOS;
  private final List<SchemaNode.Place> places = new ArrayList<>();
  private long steps;
  private long memory;

  /**
   * Bounds one validation.
   *
   * @param refers whether the schema has references
   * @param cancellation throws where the result is not wanted any more
   */
  Effort(Json value, Json schema, boolean refers, Runnable cancellation) {
    this.steps = (long) (SPARE + value.length()) * (STEPS + schema.length() / 10);
    this.memory = SPARE_MEMORY + (long) MEMORY * value.length();
    this.refers = refers;
    this.cancellation = cancellation;
  }

  /**
   * Counts one look at a value, or at a character of it.
   *
   * @throws ExceededException if it is one too many, or takes too long
   */
  void step() {
    if (--steps % STRIDE == 0) {
      cancellation.run();
      if (steps <= 0 || System.nanoTime() - end > 0) {
        throw new ExceededException("takes too long to be checked");
      }
    }
  }

  /**
   * Counts one outcome that the validator keeps.
   *
   * @param parts the number of members or elements of the value there
   * @throws ExceededException if there are too many
   */
  void outcome(SchemaNode.Place place, int parts) {
    memory -= OUTCOME + (long) PART * parts + (refers ? (long) PATH * place.depth() : 0);
    if (memory < 0) {
      throw new ExceededException("holds too much that does not fit, or that has to be checked");
    }
  }

  /** Returns a short name for a place. The JSON pointer would be as long as all names on the way. */
  String name(SchemaNode.Place place) {
    places.add(place);
    return String.valueOf(places.size() - 1);
  }

  /** Returns the place with that name. */
  SchemaNode.Place place(String name) {
    return places.get(Integer.parseInt(name));
  }
}
