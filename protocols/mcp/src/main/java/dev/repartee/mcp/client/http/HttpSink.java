package dev.repartee.mcp.client.http;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Receives the answer to one HTTP request. One thread at a time calls it. Exactly one of {@link
 * #body}, {@link #ended} and {@link #failed} ends the answer.
 */
interface HttpSink {
  /** Takes nothing of a body. */
  HttpSink NONE = new HttpSink() {
    @Override
    public void head(int status, Map<String, List<String>> headers) {}

    @Override
    public void body(byte[] body) {}

    @Override
    public boolean event(String type, byte[] data) {
      return true;
    }

    @Override
    public void ended(@Nullable Throwable cause) {}

    @Override
    public void failed(RuntimeException cause) {}
  };

  /** Takes status and headers, with names in lower case, before everything else. */
  void head(int status, Map<String, List<String>> headers);

  /** Takes a whole body that is no event stream; it may be empty. */
  void body(byte[] body);

  /**
   * Takes an event.
   *
   * @return false if it has to wait; then it is offered again after {@link HttpAnswer#resume}
   */
  boolean event(String type, byte[] data);

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
  void ended(@Nullable Throwable cause);

  /** Reports that the request was not answered, or its body not read. */
  void failed(RuntimeException cause);
}
