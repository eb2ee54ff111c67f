package dev.repartee.transport.http;

import dev.repartee.transport.Headers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sends single HTTP requests to one server, for protocols that need more of HTTP than a message in
 * a POST: other methods, headers of single requests and answers, statuses, streams that continue.
 * {@link HttpTransport#sender} returns it. Thread-safe.
 *
 * <p>A sender repeats nothing and follows no redirect. There is one connection for each request in
 * flight; connections are kept for later requests.
 */
public interface HttpSender extends AutoCloseable {
  /**
   * A request.
   *
   * @param method the method, such as {@code POST}
   * @param target the path with the query, such as {@code /mcp?a=b}
   * @param headers the headers, except the ones that delimit the message
   * @param body the array that holds the body; it must not change until the request has ended
   * @param from the index of the first byte of the body
   * @param to the index after its last byte; {@code from} for a request without a body
   * @param timeout the time until the headers of the answer; null for no limit
   */
  record Request(
      String method,
      String target,
      Headers headers,
      byte[] body,
      int from,
      int to,
      @Nullable Duration timeout) {}

  /** Receives the answer to a request. One thread at a time calls it, which must not block. */
  interface Answer {
    /**
     * Receives the status and the headers, whose names are in lower case. Not called for an
     * informational status.
     */
    void head(int status, Map<String, List<String>> headers);

    /**
     * Receives a piece of the body.
     *
     * @param bytes the array that holds the piece; valid until this method returns
     * @return false to get no more before {@link Sent#readOn}
     */
    boolean content(byte[] bytes, int from, int to);

    /**
     * Reports the end of the answer, once, unless the request was cancelled.
     *
     * @param cause null if the answer is complete; otherwise the reason, with a message for people
     */
    void end(@Nullable Throwable cause);
  }

  /** A request that was sent. Its methods never block, on any thread. */
  interface Sent {
    /** Continues reading after {@link Answer#content} has returned false. */
    void readOn();

    /** Ends the request with its connection, if it is under way. */
    void cancel();
  }

  /** Sends a request. Does not block; a failure to connect is reported to the answer. */
  Sent send(Request request, Answer answer);

  /** Ends all requests and connections. Does not block. */
  @Override
  void close();
}
