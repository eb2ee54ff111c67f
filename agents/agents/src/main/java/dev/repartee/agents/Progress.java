package dev.repartee.agents;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A report about a running task.
 *
 * @param done the amount of finished work; null if unknown
 * @param total the amount of all work; null if unknown
 * @param message a description of the current work; null if there is none
 */
public record Progress(
    @Nullable Double done, @Nullable Double total, @Nullable String message) {
  /** Returns a report with a text only. */
  public static Progress of(String message) {
    return new Progress(null, null, message);
  }

  /** Returns the report as a line for people, such as {@code 3 of 10: reading}. */
  @Override
  public String toString() {
    String amount =
        done == null ? "" : number(done) + (total == null ? "" : " of " + number(total));
    return message == null ? amount : amount.isEmpty() ? message : amount + ": " + message;
  }

  private static String number(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1L << 53
        ? Long.toString((long) value)
        : String.format(Locale.ROOT, "%.2f", value);
  }
}
