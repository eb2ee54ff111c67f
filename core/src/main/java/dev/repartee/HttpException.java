package dev.repartee;

import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;

/**
 * Reports an HTTP response without a JSON-RPC message, such as an error page, a redirect or the
 * answer 429 of a server that limits calls.
 */
public final class HttpException extends ProtocolException {
  private static final long serialVersionUID = 1;

  /** The most digits of seconds in {@code Retry-After}: 31 years. */
  private static final int DIGITS = 9;

  private final int status;
  private final @Nullable String contentType;
  private final @Nullable Duration retryAfter;

  /**
   * Creates an exception.
   *
   * @param message the failure, in a sentence
   * @param status the HTTP status
   * @param contentType the header field {@code Content-Type}; null if there is none
   * @param retryAfter the header field {@code Retry-After}; null if there is none
   */
  public HttpException(
      String message, int status, @Nullable String contentType, @Nullable String retryAfter) {
    super(message);
    this.status = status;
    this.contentType = contentType;
    this.retryAfter = retryAfter == null ? null : delay(retryAfter.strip());
  }

  /** Returns the time in the field (RFC 9110 section 10.2.3); null if it is malformed. */
  private static @Nullable Duration delay(String field) {
    if (!field.isEmpty() && field.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return field.length() > DIGITS ? null : Duration.ofSeconds(Integer.parseInt(field));
    }
    try {
      Instant then =
          ZonedDateTime.parse(field, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      Duration left = Duration.between(Instant.now(), then);
      return left.isNegative() ? Duration.ZERO : left;
    } catch (DateTimeParseException e) {
      return null;
    }
  }

  /** Returns the HTTP status, such as 429. */
  public int status() {
    return status;
  }

  /** Returns the header field {@code Content-Type} of the response; null if it had none. */
  public @Nullable String contentType() {
    return contentType;
  }

  /**
   * Returns the time to wait before another call, counted from the arrival of the response: its
   * header field {@code Retry-After}, in seconds or as a date. Null if it had none, or a malformed
   * one. The server chooses the time, so limit it.
   */
  public @Nullable Duration retryAfter() {
    return retryAfter;
  }
}
