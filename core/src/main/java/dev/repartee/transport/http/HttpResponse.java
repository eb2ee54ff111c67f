package dev.repartee.transport.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.transport.Headers;
import java.util.List;

/**
 * A complete HTTP response.
 *
 * @param status the HTTP status, from 200 to 599
 * @param headers the header fields, without those that delimit the body; with {@code Content-Type}
 *     if there is a body
 * @param challenges the values of further {@code WWW-Authenticate} fields, each in a separate one
 * @param body the content, which must not be changed afterwards; empty for none
 */
public record HttpResponse(int status, Headers headers, List<String> challenges, byte[] body) {
  /** The name of the field that asks for credentials (RFC 9110 section 11.6.1). */
  public static final String CHALLENGE = "WWW-Authenticate";

  /**
   * The name of the field in a response with the status 408 or 503 to a request that was not
   * handled. The status alone does not show it: a proxy sends it, too, when its server is too slow
   * or lost.
   */
  public static final String UNSENT = "repartee-unsent";

  /**
   * Creates a response.
   *
   * @throws IllegalArgumentException if the status is not one of a response, or a challenge has a
   *     line end or another character that is not printable ASCII
   */
  public HttpResponse {
    challenges = List.copyOf(challenges);
    challenges.forEach(challenge -> Headers.NONE.with(CHALLENGE, challenge));
    if (status < 200 || status > 599) {
      throw new IllegalArgumentException(
          "the status of a response is from 200 to 599, not " + status);
    }
  }

  /**
   * Creates a response without further challenges.
   *
   * @throws IllegalArgumentException if the status is not one of a response
   */
  public HttpResponse(int status, Headers headers, byte[] body) {
    this(status, headers, List.of(), body);
  }

  /** Returns a response with a sentence as plain text and a line end after it. */
  public static HttpResponse text(int status, String sentence) {
    return new HttpResponse(
        status,
        Headers.NONE.with("content-type", "text/plain; charset=utf-8"),
        (sentence + "\n").getBytes(UTF_8));
  }

  /**
   * Returns a response to a request that was certainly not handled, with a sentence as plain text. A
   * response with the status 408 or 503 has the field {@link #UNSENT}: the client may send the request
   * again, also if it is not idempotent.
   */
  public static HttpResponse refused(int status, String sentence) {
    HttpResponse response = text(status, sentence);
    return status == 408 || status == 503 ? response.header(UNSENT, "1") : response;
  }

  /** Returns a response with a JSON text. */
  public static HttpResponse json(int status, String json) {
    return new HttpResponse(
        status, Headers.NONE.with("content-type", "application/json"), json.getBytes(UTF_8));
  }

  /** Returns a response without a body. */
  public static HttpResponse empty(int status) {
    return new HttpResponse(status, Headers.NONE, new byte[0]);
  }

  /**
   * Returns this response with one more header field. It replaces a field with the same name.
   *
   * @throws IllegalArgumentException if the name is not a token of HTTP, or the value has a line
   *     end or another character that is not printable ASCII
   */
  public HttpResponse header(String name, String value) {
    return new HttpResponse(status, headers.with(name, value), challenges, body);
  }

  /**
   * Returns this response with these challenges instead of its present ones.
   *
   * @throws IllegalArgumentException if a challenge has a line end or another character that is not
   *     printable ASCII
   */
  public HttpResponse challenges(List<String> challenges) {
    return new HttpResponse(status, headers, challenges, body);
  }
}
