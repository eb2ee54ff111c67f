package dev.repartee.mcp.client.http;

import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.OutgoingMessage;
import org.jspecify.annotations.Nullable;

/**
 * The POST of one message. The methods of the sink are called by one thread at a time, the others by
 * any.
 */
abstract class Post implements HttpSink {
  /*
   * Implementation note.
   *
   *   WAITING -> SENT -> READING -> ENDING
   *      |        |        |  \        |
   *      |        |        |  CONTINUED|
   *      v        v        v    v      v
   *      +------------ OVER -----------+
   *
   *   WAITING    in the queue
   *   SENT       the request is under way, or a whole body is delivered
   *   READING    the answer is a stream of events
   *   CONTINUED  that stream broke off, and a SessionStream reads the rest
   *   ENDING     the calls are answered, and the stream may end for a moment longer
   *   OVER       the place in the queue is released
   *
   * A POST of HTTP with SSE is never in READING, CONTINUED and ENDING.
   *
   * Invariants:
   *
   * - A POST only ever moves to a later state. What moves it owns the step: it starts the timer or
   *   the stream, or releases the place.
   * - A step that starts something looks at the state again afterwards and ends it if the POST is
   *   over, since the thread that ends a POST cannot see what is not started yet.
   * - A POST that is over while it waits has no place; the queue drops it, or `begin` does.
   *
   * The monitor guards the state, and nothing is called under it.
   */
  enum State {
    WAITING,
    SENT,
    READING,
    CONTINUED,
    ENDING,
    OVER
  }

  private final HttpChannel channel;
  private final OutgoingMessage message;
  private volatile State state = State.WAITING; // written under the monitor
  private volatile @Nullable PostQueue queue;
  private volatile HttpRequests.@Nullable Exchange exchange;

  Post(HttpChannel channel, OutgoingMessage message) {
    this.channel = channel;
    this.message = message;
  }

  final OutgoingMessage message() {
    return message;
  }

  /** Sends the request. */
  abstract HttpRequests.Exchange transmit();

  /** Handles the end of the calls of the message; see {@link OutgoingMessage.Ended}. */
  abstract void callsEnded(boolean unwanted);

  /** Sends this POST, which has got a place in the queue. */
  final void begin(PostQueue place) {
    queue = place;
    if (!moveTo(State.SENT)) {
      place.left(this);
      return;
    }
    HttpRequests.Exchange sent = transmit();
    exchange = sent;
    if (isOver()) {
      sent.cancel();
    }
  }

  /** Enters a later state; returns false if this or a later one was entered before. */
  final synchronized boolean moveTo(State next) {
    if (state.compareTo(next) >= 0) {
      return false;
    }
    state = next;
    return true;
  }

  final State state() {
    return state;
  }

  final boolean isOver() {
    return state == State.OVER;
  }

  /** Ends this POST if it was not sent. */
  final synchronized void withdraw() {
    if (state == State.WAITING) {
      state = State.OVER;
    }
  }

  /** Ends this POST, and releases its place; returns false if it is over. */
  boolean finish() {
    boolean hadPlace;
    synchronized (this) {
      hadPlace = state != State.WAITING;
      if (!moveTo(State.OVER)) {
        return false;
      }
    }
    PostQueue place = queue;
    if (hadPlace && place != null) {
      place.left(this);
    }
    return true;
  }

  /** Ends this POST, and fails its calls. Reports the failure if nobody waits for it. */
  final void fail(RuntimeException cause) {
    if (finish()
        && !message.fail(cause)
        && !channel.isClosed()
        && !(cause instanceof DisconnectedException lost && lost.unsent() != null)) {
      channel.violation(String.valueOf(cause.getMessage()));
    }
  }

  @Override
  public final void failed(RuntimeException cause) {
    fail(cause);
  }

  /** Ends this POST with its request. */
  void cancel() {
    finish();
    HttpRequests.Exchange sent = exchange;
    if (sent != null) {
      sent.cancel();
    }
  }

  /** Delivers again what the receiver did not accept. */
  void resume() {
    HttpRequests.Exchange sent = exchange;
    if (sent != null) {
      sent.resume();
    }
  }
}
