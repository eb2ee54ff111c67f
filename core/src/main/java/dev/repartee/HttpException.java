package dev.repartee;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reports an HTTP response without a JSON-RPC message, such as an error page, a redirect or the
 * answer 429 of a server that limits calls.
 */
public final class HttpException extends ProtocolException {
  private static final long serialVersionUID = 1;

  /**
   * The status of a server that is not available (RFC 9110 section 15.6.4). It does not prove that
   * the request was not handled: see {@link #unsent}.
   */
  public static final int UNAVAILABLE = 503;

  private static final int REQUEST_TIMEOUT = 408;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVER_ERROR = 500;

  /** The longest time in {@code Retry-After}: 31 years. A longer time counts as this one. */
  private static final Duration LONGEST = Duration.ofSeconds(999_999_999);

  /** The digits of {@link #LONGEST}. */
  private static final int DIGITS = 9;

  /** The formats of a date (RFC 9110 section 5.6.7). The last two are obsolete. */
  private static final List<DateTimeFormatter> DATES = List.of(
      DateTimeFormatter.RFC_1123_DATE_TIME,
      new DateTimeFormatterBuilder()
          .appendPattern("EEEE, dd-MMM-")
          .appendValueReduced(ChronoField.YEAR, 2, 2, LocalDate.now().minusYears(50))
          .appendPattern(" HH:mm:ss 'GMT'")
          .toFormatter(Locale.ENGLISH)
          .withZone(ZoneOffset.UTC),
      DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss uuuu", Locale.ENGLISH)
          .withZone(ZoneOffset.UTC));

  private final int status;
  private final @Nullable String contentType;
  private final @Nullable Duration retryAfter;
  private final boolean isUnsent;

  /**
   * Creates an exception for a request that may have been handled.
   *
   * @param message the failure, in a sentence
   * @param status the HTTP status
   * @param contentType the header field {@code Content-Type}; null if there is none
   * @param retryAfter the header field {@code Retry-After}; null if there is none
   */
  public HttpException(
      String message, int status, @Nullable String contentType, @Nullable String retryAfter) {
    this(message, status, contentType, retryAfter, null);
  }

  /**
   * Creates an exception.
   *
   * @param message the failure, in a sentence
   * @param status the HTTP status
   * @param contentType the header field {@code Content-Type}; null if there is none
   * @param retryAfter the header field {@code Retry-After}; null if there is none
   * @param unsent the header field {@code Repartee-Unsent}; null if there is none
   */
  public HttpException(
      String message,
      int status,
      @Nullable String contentType,
      @Nullable String retryAfter,
      @Nullable String unsent) {
    super(message);
    this.isUnsent = unsent != null && (status == UNAVAILABLE || status == REQUEST_TIMEOUT);
    this.status = status;
    this.contentType = contentType;
    this.retryAfter = retryAfter == null ? null : delay(retryAfter.strip());
  }

  /** Returns the time in the field (RFC 9110 section 10.2.3); null if it is malformed. */
  private static @Nullable Duration delay(String field) {
    if (!field.isEmpty() && field.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return field.length() > DIGITS ? LONGEST : Duration.ofSeconds(Integer.parseInt(field));
    }
    for (DateTimeFormatter format : DATES) {
      try {
        Duration left = Duration.between(Instant.now(), format.parse(field, Instant::from));
        return left.isNegative() ? Duration.ZERO : left.compareTo(LONGEST) > 0 ? LONGEST : left;
      } catch (DateTimeException e) {
        // The next format may fit.
      }
    }
    return null;
  }

  /** Returns the HTTP status, such as 429. */
  public int status() {
    return status;
  }

  /**
   * Returns whether the status is one of the server, not of the request: another server may answer
   * otherwise.
   */
  boolean mayDifferElsewhere() {
    return status >= SERVER_ERROR || status == REQUEST_TIMEOUT || status == TOO_MANY_REQUESTS;
  }

  /** Returns the header field {@code Content-Type} of the response; null if it had none. */
  public @Nullable String contentType() {
    return contentType;
  }

  /**
   * Not null for the status 408 or {@link #UNAVAILABLE} with the header field {@code
   * Repartee-Unsent}, which servers of this library send if they have not handled the request. Other
   * servers and proxies answer with these statuses also if the server behind them is too slow, or
   * the connection to it was lost.
   */
  @Override
  public @Nullable String unsent() {
    if (!isUnsent) {
      return null;
    }
    return status == UNAVAILABLE
        ? "the server is not available"
        : "the server has not received the request";
  }

  /**
   * Returns the time to wait before another call, counted from the arrival of the response: its
   * header field {@code Retry-After}, in seconds or as a date. Null if it had none, or a malformed
   * one; at most 31 years. The server chooses the time: limit it.
   */
  public @Nullable Duration retryAfter() {
    return retryAfter;
  }
}
