package dev.repartee.mcp.client.http;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Receives the answer to one HTTP request, from one thread at a time. Exactly one of {@link #body},
 * {@link #ended} and {@link #failed} ends the answer. The default methods ignore their input.
 */
interface HttpSink {
  /** Receives the head, before all other methods. */
  default void head(HttpHead head) {}

  /**
   * Receives the whole body of an answer that is not an event stream; it may be empty.
   *
   * @return false if it has to wait; then it is offered again after {@link HttpAnswer#resume}
   */
  default boolean body(HttpHead head, byte[] body) {
    return true;
  }

  /**
   * Receives an event.
   *
   * @return false if it has to wait; then it is offered again after {@link HttpAnswer#resume}
   */
  default boolean event(String type, byte[] data) {
    return true;
  }

  /**
   * Reports that the server has refused the request. The authorization may now obtain a token, and
   * ask the user to log in.
   */
  default void refused() {}

  /** Receives the last id of the events so far; empty for none. */
  default void position(String lastId) {}

  /** Receives the time to wait before a reconnection. */
  default void retry(Duration time) {}

  /**
   * Returns whether an event stream may stay open for longer than the time-out of its request. All
   * other answers have to be complete by then.
   */
  default boolean isEndless() {
    return false;
  }

  /** Reports the end of an event stream; {@code cause} is null for an orderly end. */
  default void ended(@Nullable Throwable cause) {}

  /** Reports that the request failed, or that its body could not be read. */
  default void failed(RuntimeException cause) {}
}
