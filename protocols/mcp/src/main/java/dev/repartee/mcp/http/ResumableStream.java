package dev.repartee.mcp.http;

import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.http.HttpReply;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An SSE stream that a client can resume after a lost connection (Streamable HTTP up to 2025-11-25,
 * resumability). It keeps its last events in {@link ReplayBuffers}.
 *
 * <p>Thread-safe. The lock of this object guards all fields. The lock of the buffers may be
 * acquired while it is held, never the reverse. A stream is attached to at most one connection, its
 * reply; a newer connection replaces the older one. An ended stream stays resumable until its last
 * event was sent, and for a short time after that.
 */
final class ResumableStream {
  private final String name;
  private final ReplayBuffers.Buffer kept;
  /** The number of the last event. */
  private long last;

  /** The number of the last event that was sent on a connection. */
  private long taken;

  /** The connection that carries the stream. Written under the lock, read without it. */
  private volatile @Nullable HttpReply reply;

  private boolean ended;

  /**
   * {@code name} is unique in the session. {@code empty} runs when the stream can no longer be
   * resumed; see {@link ReplayBuffers#buffer}.
   */
  ResumableStream(String name, ReplayBuffers buffers, Runnable empty) {
    this.name = name;
    this.kept = buffers.buffer(empty);
  }

  String name() {
    return name;
  }

  /**
   * Attaches a connection and sends the kept events after the given event.
   *
   * @param after the number of the last event that the client has, or null for the last event that
   *     was sent on a connection
   * @param primed true to begin with an empty event with an id, from which the client can resume
   *     (2025-11-25)
   */
  synchronized void attach(
      HttpReply carrier, Map<String, String> headers, @Nullable Long after, boolean primed) {
    if (!carrier.stream(headers)) {
      return; // the request was already answered
    }
    HttpReply before = reply;
    reply = carrier;
    if (before != null && before != carrier) {
      before.end();
    }
    carrier.onGone(() -> detach(carrier));
    long from = after == null ? taken : after;
    if (primed) {
      tell(new HttpReply.Event(id(from), null, null, new byte[0]));
    }
    for (ReplayBuffers.Event event : kept.after(from)) {
      tell(event.number, event.message);
    }
    endIfTold();
  }

  private synchronized void detach(HttpReply carrier) {
    if (reply == carrier) {
      reply = null;
    }
  }

  boolean isAttached() {
    return reply != null;
  }

  /** Sends a message now, or when a connection is attached again. */
  synchronized void send(byte[] message) {
    kept.add(++last, message);
    tell(last, message);
  }

  /** Drops the kept events, and ignores later events. The stream can no longer be resumed. */
  void forget() {
    kept.close();
  }

  private void tell(long number, byte[] message) {
    if (tell(HttpReply.Event.ofJson(message).withId(id(number)))) {
      taken = Math.max(taken, number);
    }
  }

  private boolean tell(HttpReply.Event event) {
    HttpReply carrier = reply;
    if (carrier == null) {
      return false;
    }
    try {
      carrier.send(event);
      return true;
    } catch (DisconnectedException e) {
      reply = null;
      return false;
    }
  }

  private String id(long number) {
    return name + "-" + number;
  }

  /** Ends the stream: no more messages follow. */
  synchronized void end() {
    ended = true;
    if (!endIfTold()) {
      kept.end(false);
    }
  }

  private boolean endIfTold() {
    HttpReply carrier = reply;
    if (!ended || carrier == null) {
      return false;
    }
    carrier.end();
    reply = null;
    kept.end(true);
    return true;
  }

  /** Sends the client the time to reconnect, then closes the connection but not the stream. */
  synchronized void closeSseStream(Duration retry) {
    HttpReply carrier = reply;
    if (carrier != null) {
      tell(new HttpReply.Event(null, null, retry, null));
      reply = null;
      carrier.end();
    }
  }
}
