package dev.repartee.access;

import dev.repartee.transport.Headers;

/**
 * Reports that a caller is refused. Over HTTP the exception becomes the response; on other
 * transports it becomes an error with the status as its code, or the end of the connection. The
 * message reaches the caller: it names the remedy, and must not reveal which part of the credentials
 * was wrong.
 */
public final class AccessException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int status;
  private final transient Headers headers;

  /**
   * Creates an exception without a stack trace.
   *
   * @param status the HTTP status: 401 (wrong credentials), 403 (a known caller who may not call
   *     here), 429 (too many attempts) or 503 (the credentials cannot be checked at present)
   * @param message a sentence for the caller
   * @param headers additional header fields of the HTTP response, such as {@code Retry-After}
   */
  public AccessException(int status, String message, Headers headers) {
    super(message, null, false, false);
    this.status = status;
    this.headers = headers;
  }

  /** Returns the HTTP status. */
  public int status() {
    return status;
  }

  /** Returns the additional header fields of an HTTP response. */
  public Headers headers() {
    return headers;
  }
}
