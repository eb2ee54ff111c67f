package dev.repartee.openrpc.mock;

import java.time.Duration;

/**
 * The budget of time and memory of the samples of a document. Each attempt at a value has units,
 * which limit the size of the value, and the document has units for all attempts. The unit of
 * validation is a look: {@link dev.repartee.openrpc.schema.SchemaValidator} looks whether it is
 * cancelled, after about the same number of steps each time. A seed therefore gives the same values
 * on machines of any speed. The clock is for single steps that are very slow. Not thread-safe.
 */
final class Bounds {
  /** The units of an attempt: about as many characters. */
  static final int ATTEMPT = 320_000;

  private static final long DOCUMENT = 30_000_000;

  /** The looks for a document: less than a minute. */
  private static final int LOOKS = 200_000;

  /** The maximum time of all validations, for steps that need milliseconds. */
  static final Duration MOST_TIME = Duration.ofMinutes(5);

  /** The units of a value, in addition to its characters. */
  private static final int VALUE = 16;

  /** The bytes of a schema that are read for a unit. */
  private static final int SCHEMA_BYTES = 64;

  /** The bytes of a schema that are translated for a look. */
  private static final int LOOK_BYTES = 4_096;

  private final long end = System.nanoTime() + MOST_TIME.toNanos();
  private int looks;
  private long document = DOCUMENT;
  private long attempt;
  private String pointer = "";

  /** Begins an attempt at a value for the schema at this place. */
  void begin(String pointer) {
    this.pointer = pointer;
    attempt = ATTEMPT;
  }

  /** Counts a value. */
  void value() {
    spend(VALUE);
  }

  /** Counts the characters of a text, or other steps of their cost. */
  void characters(int count) {
    spend(count);
  }

  /** Counts the read of a schema. */
  void schema(int bytes) {
    spend(1 + bytes / SCHEMA_BYTES);
  }

  private void spend(int units) {
    attempt -= units;
    document -= units;
    if (document < 0) {
      throw NoValueException.unknown(pointer, "the document needs too many values");
    }
    if (attempt < 0) {
      throw NoValueException.unknown(pointer, "a value that fits is too large, or too far to seek");
    }
  }

  /** Counts the translation of a schema for a validation. */
  void translation(int bytes) {
    looks += bytes / LOOK_BYTES;
    look();
  }

  /** Counts a share of a validation, as its cancellation. */
  void look() {
    if (++looks > LOOKS || System.nanoTime() - end > 0) {
      throw NoValueException.unknown(pointer, "the validation of the samples takes too long");
    }
  }
}
