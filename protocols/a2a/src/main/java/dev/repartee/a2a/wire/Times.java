package dev.repartee.a2a.wire;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/** The form of timestamps (section 5.6.1). */
final class Times {
  private static final DateTimeFormatter WRITTEN =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  private Times() {}

  /** Returns a time in the form of the protocol; null for null. */
  static @Nullable String text(@Nullable Instant time) {
    return time == null ? null : WRITTEN.format(time);
  }

  /**
   * Reads a time with any offset.
   *
   * @throws java.time.DateTimeException if the text has another form
   */
  static Instant parse(String text) {
    return DateTimeFormatter.ISO_OFFSET_DATE_TIME.parse(text, Instant::from);
  }
}
