package dev.repartee.mcp.client.http;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Receives the answer to one HTTP request. One thread at a time calls it. Exactly one of {@link
 * #body}, {@link #ended} and {@link #failed} ends the answer. What is not overridden is ignored.
 */
interface HttpSink {
  /** Takes the head before everything else. */
  default void head(HttpHead head) {}

  /**
   * Takes a whole body that is no event stream; it may be empty.
   *
   * @return false if it has to wait; then it is offered again after {@link HttpAnswer#resume}
   */
  default boolean body(HttpHead head, byte[] body) {
    return true;
  }

  /**
   * Takes an event.
   *
   * @return false if it has to wait; then it is offered again after {@link HttpAnswer#resume}
   */
  default boolean event(String type, byte[] data) {
    return true;
  }

  /**
   * Reports that the server has refused the request, so the authorization is asked what to do: it
   * may obtain a token, and ask the user to log in.
   */
  default void refused() {}

  /** Takes the last id of the events so far; empty for none. */
  default void position(String lastId) {}

  /** Takes the time to wait before a reconnection. */
  default void retry(Duration time) {}

  /**
   * Returns whether an event stream may stay open for longer than the time-out of its request.
   * Every other answer has to be complete by then.
   */
  default boolean isEndless() {
    return false;
  }

  /** Reports the end of an event stream; null if it ended in order. */
  default void ended(@Nullable Throwable cause) {}

  /** Reports that the request was not answered, or its body not read. */
  default void failed(RuntimeException cause) {}
}
