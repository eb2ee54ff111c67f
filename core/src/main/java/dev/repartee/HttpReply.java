package dev.repartee;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one {@link HttpRequest}: a whole one, or a stream of server-sent events, which it
 * becomes by {@link #stream} or, once that was {@linkplain #mayStream allowed}, after a silence that
 * proxies would take for the end. Thread-safe; what comes after the end, or after the client has gone,
 * is dropped.
 */
public interface HttpReply {
  /** Whether the client takes a stream of events: whether its {@code Accept} names it. */
  boolean takesEvents();

  /**
   * Answers as a whole.
   *
   * @param status the HTTP status
   * @param headers header fields besides those that delimit the body; {@code Content-Type} where there
   *     is a body
   * @param body the content, not to be changed any more; empty for none
   * @return false, having done nothing, where it is a stream of events by now, or was answered
   */
  boolean answer(int status, Map<String, String> headers, byte[] body);

  /**
   * Allows the answer to become a stream of events by itself when nothing was said for long, with these
   * header fields besides those of the stream. Until then it may still be a whole one.
   */
  default void mayStream(Map<String, String> headers) {
    onSilence(() -> stream(headers));
  }

  /**
   * Runs that once when nothing was said for so long that proxies may take the connection for dead. The
   * action may make the answer a {@link #stream} and send its first event; if it does not, nothing is said.
   * It runs on a thread that reads connections, so it must not block. The last one that was given counts.
   * By default nothing happens: for replies that no proxy cuts off.
   */
  default void onSilence(Runnable action) {}

  /**
   * Makes the answer a stream of events, with status 200 and these header fields besides those of the
   * stream; its head leaves at once.
   *
   * @return false, having done nothing, where it was answered as a whole
   */
  boolean stream(Map<String, String> headers);

  /**
   * Sends an event on the stream that this has to be by now. Never blocks: it is queued where it cannot
   * leave at once; a client that lets several times {@link Limits#outboundBytes} pile up is cut off.
   *
   * @throws DisconnectedException if the client is gone, or the stream has ended
   */
  void send(Event event);

  /**
   * One server-sent event (HTML standard, section 9.2).
   *
   * @param id what a client that comes back tells in {@code Last-Event-ID}, or null
   * @param type its type, or null for {@code message}
   * @param retry what a client is to wait before it comes back, or null
   * @param data UTF-8 text, or null for an event that only carries the others
   */
  record Event(
      @Nullable String id,
      @Nullable String type,
      @Nullable Duration retry,
      byte @Nullable [] data) {
    /** An event with data alone. */
    public static Event of(byte[] data) {
      return new Event(null, null, null, data);
    }

    /** The same with an id. */
    public Event withId(String id) {
      return new Event(id, type, retry, data);
    }
  }

  /**
   * Waits until what is queued has room for more, for senders that may block; returns at once on a
   * thread that reads.
   *
   * @return whether there is room; false after that time
   * @throws DisconnectedException if the client is gone
   */
  boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException;

  /** Ends the stream, or, where nothing was said, answers 204. */
  void end();

  /**
   * Runs that when the client has gone before the answer had ended, or now if it has; on a thread that
   * reads connections, so it must not block. The last one that was given counts.
   */
  void onGone(Runnable action);
}
