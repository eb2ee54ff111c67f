package dev.repartee.jackson;

import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.Month;
import java.time.OffsetDateTime;
import java.time.Year;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalAmount;
import java.util.Calendar;
import java.util.Date;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonToken;

/** Checks the form of texts that Jackson accepts in other forms, too. */
final class IsoTexts {
  private static final Pattern TIME =
      Pattern.compile("[+-]?\\d{4,10}-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d.*");

  /**
   * The patterns of some types. The texts of all other types are parsed by {@code java.time}, which
   * is as strict.
   */
  private static final Map<Class<?>, Pattern> FORMS = Map.of(
      Instant.class, TIME,
      OffsetDateTime.class, TIME,
      ZonedDateTime.class, TIME,
      LocalDateTime.class, TIME,
      LocalDate.class, Pattern.compile("[+-]?\\d{4,10}-\\d\\d-\\d\\d"),
      Duration.class, Pattern.compile("[+-]?[Pp].*"),
      UUID.class, Pattern.compile("\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}"));

  private IsoTexts() {}

  /**
   * Returns the token that a value of a type must have, or null if Jackson itself is strict enough.
   */
  static @Nullable JsonToken token(Class<?> type) {
    if (type == Year.class) {
      return JsonToken.VALUE_NUMBER_INT;
    }
    boolean text = FORMS.containsKey(type)
        || isOld(type)
        || type == Pattern.class
        || TemporalAmount.class.isAssignableFrom(type)
        || TemporalAccessor.class.isAssignableFrom(type)
            && type != Month.class
            && type != DayOfWeek.class;
    return text ? JsonToken.VALUE_STRING : null;
  }

  private static boolean isOld(Class<?> type) {
    return Date.class.isAssignableFrom(type) || Calendar.class.isAssignableFrom(type);
  }

  /** Whether a text has the form that a type requires. */
  static boolean isOne(Class<?> type, String text) {
    Pattern form = FORMS.get(type);
    return form == null ? !isOld(type) || isTime(text) : form.matcher(text).matches();
  }

  /**
   * Whether a text is an existing date or time. The old classes also accept dates that do not
   * exist.
   */
  private static boolean isTime(String text) {
    boolean date = text.indexOf('T') < 0;
    try {
      (date ? DateTimeFormatter.ISO_LOCAL_DATE : DateTimeFormatter.ISO_DATE_TIME).parse(text);
      return true;
    } catch (DateTimeException e) {
      return false;
    }
  }
}
