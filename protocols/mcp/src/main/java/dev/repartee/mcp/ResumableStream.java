package dev.repartee.mcp;

import dev.repartee.DisconnectedException;
import dev.repartee.HeldBytes;
import dev.repartee.HttpReply;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A stream of events that a client may come back to after its connection was lost (Streamable HTTP up
 * to 2025-11-25, resumability): the last events are kept, within bounds of its own and of all that
 * the process holds, the oldest given up first. Thread-safe.
 */
final class ResumableStream {
  private static final int MAX_KEPT = 1_000;
  private static final int MAX_KEPT_BYTES = 1 << 20;

  private record Kept(long number, byte[] message) {}

  /** What is kept of that many bytes is not counted. */
  private static final int FREE = 4 << 10;

  private final String name;
  private final HeldBytes.Share share = HeldBytes.ofAnswers().share(FREE);
  private final Deque<Kept> kept = new ArrayDeque<>();
  private int keptBytes;
  private long last;

  /** How many events a connection has taken. */
  private long taken;

  private @Nullable HttpReply reply;
  private boolean ended;
  private boolean forgotten;

  /** {@code name} is unlike that of any other stream of the session. */
  ResumableStream(String name) {
    this.name = name;
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
    for (Kept event : kept) {
      if (event.number > from) {
        tell(event);
      }
    }
    endIfTold();
  }

  private synchronized void detach(HttpReply carrier) {
    if (reply == carrier) {
      reply = null;
    }
  }

  synchronized boolean isAttached() {
    return reply != null;
  }

  /** Sends a message, now or when a connection carries the stream again. */
  synchronized void send(byte[] message) {
    Kept event = new Kept(++last, message);
    if (forgotten) {
      tell(event);
      return;
    }
    kept.add(event);
    keptBytes += message.length;
    boolean fits = share.hold(keptBytes);
    while (kept.size() > 1 && (!fits || kept.size() > MAX_KEPT || keptBytes > MAX_KEPT_BYTES)) {
      keptBytes -= kept.remove().message.length;
      fits = share.hold(keptBytes);
    }
    tell(event);
    if (!fits) {
      drop(); // the last one alone is more than there is room for
    }
  }

  /** Nobody will come back to it: nothing is kept from here on. */
  synchronized void forget() {
    forgotten = true;
    drop();
  }

  private void drop() {
    kept.clear();
    keptBytes = 0;
    share.hold(0);
  }

  private void tell(Kept event) {
    if (tell(HttpReply.Event.of(MessageEvent.data(event.message)).withId(id(event.number)))) {
      taken = Math.max(taken, event.number);
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
    endIfTold();
  }

  private void endIfTold() {
    if (ended && reply != null) {
      reply.end();
      reply = null;
    }
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
