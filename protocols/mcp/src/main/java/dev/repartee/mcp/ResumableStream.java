package dev.repartee.mcp;

import dev.repartee.DisconnectedException;
import dev.repartee.HttpReply;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A stream of events that a client may come back to after its connection was lost (Streamable HTTP up
 * to 2025-11-25, resumability): its last events are kept in {@link ReplayBuffers}. Thread-safe; the lock
 * of the buffers is taken under the lock of the stream, never the other way round.
 */
final class ResumableStream {
  private final String name;
  private final ReplayBuffers.Buffer kept;
  private long last;

  /** How many events a connection has taken. */
  private long taken;

  private volatile @Nullable HttpReply reply; // written under this
  private boolean ended;

  /**
   * {@code name} is unlike that of any other stream of the session; {@code empty} is told when nobody
   * can come back to it any more, see {@link ReplayBuffers#buffer}.
   */
  ResumableStream(String name, ReplayBuffers buffers, Runnable empty) {
    this.name = name;
    this.kept = buffers.buffer(empty);
  }

  String name() {
    return name;
  }

  /**
   * Has a connection carry it, from the event on that follows the one of that number.
   *
   * @param after the number of the last event that the client has, or null for the last that was taken
   * @param primed whether the client is told at once where to come back to, as 2025-11-25 has it
   */
  synchronized void attach(
      HttpReply carrier, Map<String, String> headers, @Nullable Long after, boolean primed) {
    if (!carrier.stream(headers)) {
      return; // answered by now
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

  /** Sends a message, now or when a connection carries the stream again. */
  synchronized void send(byte[] message) {
    kept.add(++last, message);
    tell(last, message);
  }

  /** Nobody will come back to it: nothing is kept from here on. */
  void forget() {
    kept.close();
  }

  private void tell(long number, byte[] message) {
    if (tell(HttpReply.Event.of(MessageEvent.data(message)).withId(id(number)))) {
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

  /** Nothing more will be sent. */
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

  /** Ends the connection, having told when to come back. */
  synchronized void letGo(Duration retry) {
    HttpReply carrier = reply;
    if (carrier != null) {
      tell(new HttpReply.Event(null, null, retry, null));
      reply = null;
      carrier.end();
    }
  }
}
