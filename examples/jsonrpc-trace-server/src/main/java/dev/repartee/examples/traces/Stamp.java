package dev.repartee.examples.traces;

import dev.repartee.trace.Direction;
import dev.repartee.trace.Entry;
import java.util.Locale;

/**
 * The time and place of a recorded message.
 *
 * @param micros microseconds since the start of the recording
 */
record Stamp(long micros, long connection, Direction direction) {
  static Stamp of(Entry.Frame frame) {
    long micros = frame.at().getSeconds() * 1_000_000 + frame.at().getNano() / 1_000;
    return new Stamp(micros, frame.connection(), frame.direction());
  }

  /** Returns the direction in which the other side sends. */
  Direction opposite() {
    return direction == Direction.IN ? Direction.OUT : Direction.IN;
  }

  /** Returns a time with its unit. */
  static String text(long micros) {
    return Math.abs(micros) < 10_000_000
        ? String.format(Locale.ROOT, "%.3f ms", micros / 1e3)
        : String.format(Locale.ROOT, "%.3f s", micros / 1e6);
  }
}
