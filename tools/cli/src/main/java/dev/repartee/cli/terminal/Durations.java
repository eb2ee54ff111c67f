package dev.repartee.cli.terminal;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses {@code 300ms}, {@code 2s}, {@code 1.5m}, {@code 1h}; a number without unit is seconds. */
public final class Durations implements ITypeConverter<Duration> {
  /** The longest duration. With it, every wait ends and no sum of times overflows. */
  private static final Duration MAX = Duration.ofHours(24);

  private static final Pattern FORM = Pattern.compile("(\\d{1,12}(?:\\.\\d{1,9})?)(ms|s|m|h|)");

  @Override
  public Duration convert(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw new TypeConversionException(
          "'" + text + "' is not a duration; use 300ms, 2s, 1m, or a number of seconds");
    }
    BigDecimal nanos = new BigDecimal(form.group(1)).multiply(unit(form.group(2)));
    if (nanos.compareTo(BigDecimal.ONE) < 0
        || nanos.compareTo(BigDecimal.valueOf(MAX.toNanos())) > 0) {
      throw new TypeConversionException(
          "'" + text + "' is out of range; use more than 0 and at most " + MAX.toHours() + "h");
    }
    return Duration.ofNanos(nanos.longValue());
  }

  private static BigDecimal unit(String name) {
    return BigDecimal.valueOf(
        switch (name) {
          case "ms" -> 1_000_000L;
          case "m" -> 60_000_000_000L;
          case "h" -> 3_600_000_000_000L;
          default -> 1_000_000_000L;
        });
  }
}
