package dev.repartee.cli.access;

import dev.repartee.cli.terminal.Failure;
import dev.repartee.security.Quota;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The value of {@code --quota}. Errors name the part of the value and an example. */
final class QuotaSpec {
  private static final String EXAMPLE = "--quota calls=100/s,in-flight=10,bytes=1m/s";

  private static final Pattern RATE = Pattern.compile(
      "(?<number>\\d{1,9})(?<unit>[kmg]?)/(?<time>s|m|h)", Pattern.CASE_INSENSITIVE);

  /**
   * A rate. A caller that was idle for this time may use the whole amount together.
   *
   * @param amount the number of calls or bytes in this time
   */
  private record Rate(long amount, int seconds) {}

  private QuotaSpec() {}

  /**
   * Returns the quota.
   *
   * @throws Failure if the value is invalid
   */
  static Quota parse(String value) {
    Quota.Builder quota = Quota.builder();
    for (String part : value.split(",", -1)) {
      int equals = part.indexOf('=');
      String name = equals < 0 ? "calls" : part.substring(0, equals);
      String limit = part.substring(equals + 1);
      try {
        switch (name) {
          case "calls" -> {
            Rate rate = rate(part, limit, false);
            quota.callsPerSecond((double) rate.amount / rate.seconds, rate.amount);
          }
          case "bytes" -> {
            Rate rate = rate(part, limit, true);
            quota.bytesPerSecond(Math.max(1, rate.amount / rate.seconds), rate.amount);
          }
          case "in-flight" -> quota.inFlight(number(part, limit));
          default -> throw fault("'" + part + "' limits neither calls, in-flight nor bytes");
        }
      } catch (IllegalArgumentException e) {
        throw fault("'" + part + "': " + Failure.reason(e));
      }
    }
    return quota.build();
  }

  private static int number(String part, String text) {
    if (!text.matches("[1-9]\\d{0,8}")) {
      throw fault("'" + part + "' is no number of calls");
    }
    return Integer.parseInt(text);
  }

  private static Rate rate(String part, String text, boolean hasUnit) {
    Matcher rate = RATE.matcher(text);
    if (!rate.matches() || !hasUnit && !rate.group("unit").isEmpty()) {
      throw fault("'" + part + "' is no rate such as " + (hasUnit ? "1m/s" : "100/s"));
    }
    long unit = switch (rate.group("unit").toLowerCase(Locale.ROOT)) {
      case "k" -> 1L << 10;
      case "m" -> 1L << 20;
      case "g" -> 1L << 30;
      default -> 1;
    };
    int seconds = switch (rate.group("time").toLowerCase(Locale.ROOT)) {
      case "m" -> 60;
      case "h" -> 3600;
      default -> 1;
    };
    long amount = Long.parseLong(rate.group("number")) * unit;
    if (amount == 0) {
      throw fault("'" + part + "' admits nothing");
    }
    return new Rate(amount, seconds);
  }

  private static Failure fault(String what) {
    return Failure.usage("--quota: " + what + "; example: " + EXAMPLE);
  }
}
