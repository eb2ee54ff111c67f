package dev.repartee.transport.http;

import dev.repartee.limits.Limits;
import dev.repartee.transport.Attribute;
import dev.repartee.transport.DisconnectedException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The response to one {@link HttpRequest}: either a complete response, or a stream of server-sent
 * events. {@link #stream} starts a stream. If {@link #mayStream} was called, the stream also starts
 * by itself when nothing was sent for so long that proxies may close the connection. Thread-safe. A
 * response after the end, or after the client has disconnected, is discarded.
 */
public interface HttpReply {
  /**
   * The attribute of a call with a function that sets a header field, name and value, of the
   * response that carries the reply; see {@link dev.repartee.Call#responseHeader}. Not set on other
   * transports.
   */
  Attribute<BiConsumer<String, String>> RESPONSE_HEADERS = Attribute.named("HTTP response headers");

  /**
   * The attribute of a call with a function that sets the status of the response that carries the
   * reply; see {@link dev.repartee.Call#responseStatus}. Not set on other transports.
   */
  Attribute<IntConsumer> RESPONSE_STATUS = Attribute.named("HTTP response status");

  /** Returns whether the client accepts a stream of events: {@code Accept} lists its media type. */
  boolean takesEvents();

  /**
   * Sends a complete response.
   *
   * @param status the HTTP status
   * @param headers the header fields, without those that delimit the body; with {@code
   *     Content-Type} if there is a body
   * @param body the content, which must not be changed afterwards; empty for none
   * @return false if nothing was sent, because a stream was started or a response was sent before
   * @throws IllegalArgumentException if {@link HttpResponse} does not allow the status or a field
   */
  boolean answer(int status, Map<String, String> headers, byte[] body);

  /**
   * Allows the response to become a stream of events by itself when nothing was sent for a long
   * time. Until then, a complete response is still possible.
   *
   * @param headers the header fields of the stream, without those that every stream has
   */
  default void mayStream(Map<String, String> headers) {
    onSilence(() -> stream(headers));
  }

  /**
   * Sets the action to run once when nothing was sent for so long that proxies may close the
   * connection. The action may start a {@link #stream} and send its first event; otherwise nothing
   * is sent. It runs on a thread that reads connections, and must not block. A later action
   * replaces an earlier one. The default does nothing, for responses that do not pass through a
   * proxy.
   */
  default void onSilence(Runnable action) {}

  /**
   * Starts a stream of events with status 200. Sends the header immediately.
   *
   * @param headers the header fields of the stream, without those that every stream has
   * @return false if nothing was done, because a complete response was sent before
   * @throws IllegalArgumentException if {@link HttpResponse} does not allow a field
   */
  boolean stream(Map<String, String> headers);

  /**
   * Sends an event. The {@linkplain #stream stream} must have been started. Never blocks: the event
   * is queued if it cannot be sent immediately. If the queue grows to several times {@link
   * Limits#outboundBytes}, the connection ends.
   *
   * @throws DisconnectedException if the client has disconnected, or the stream has ended
   */
  void send(Event event);

  /**
   * One server-sent event (HTML standard, section 9.2).
   *
   * @param id the id of the event, which a client sends in {@code Last-Event-ID} when it
   *     reconnects; null for none
   * @param type the event type; null for {@code message}
   * @param retry the time that a client should wait before it reconnects; null for none
   * @param data UTF-8 text; null for an event that has only the other fields
   */
  record Event(
      @Nullable String id,
      @Nullable String type,
      @Nullable Duration retry,
      byte @Nullable [] data) {
    /** Returns an event with data only. */
    public static Event of(byte[] data) {
      return new Event(null, null, null, data);
    }

    /**
     * Returns an event with JSON as its data, on one line because some clients read events line by
     * line. Line breaks in JSON can only be white space between tokens: they become spaces, in the
     * array itself.
     */
    public static Event ofJson(byte[] json) {
      for (int i = 0; i < json.length; i++) {
        if (json[i] == '\n' || json[i] == '\r') {
          json[i] = ' ';
        }
      }
      return of(json);
    }

    /** Returns this event with a type. */
    public Event withType(String type) {
      return new Event(id, type, retry, data);
    }

    /** Returns this event with an id. */
    public Event withId(String id) {
      return new Event(id, type, retry, data);
    }
  }

  /**
   * Waits until the queue of events has room. For senders that may block; does not wait on a thread
   * that reads connections.
   *
   * @return whether the queue has room; false if it is still full after that time
   * @throws DisconnectedException if the client has disconnected
   * @throws InterruptedException if the waiting thread is interrupted
   */
  boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException;

  /** Ends the stream; if no response was sent, responds with the status 204. */
  void end();

  /**
   * Sets the action to run when the client disconnects before the response has ended; runs it
   * immediately if the client has disconnected already. The action runs on a thread that reads
   * connections, and must not block. A later action replaces an earlier one.
   */
  void onGone(Runnable action);
}
