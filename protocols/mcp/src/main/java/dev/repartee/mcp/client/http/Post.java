package dev.repartee.mcp.client.http;

import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.OutgoingMessage;
import org.jspecify.annotations.Nullable;

/**
 * The POST of one message. One thread at a time calls the methods of the sink; the other methods
 * are thread-safe.
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
   * - A POST only moves to a later state. The thread that moves it owns the step: it starts the
   *   timer or the stream, or releases the place.
   * - A step that starts a timer, request or stream checks the state again afterwards and ends it
   *   if the POST is over. The thread that ended the POST could not have seen it.
   * - A POST that is over while it waits does not hold a place; the queue or `begin` drops it.
   *
   * The monitor guards the state. No other method is called while it is held.
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

  /** Sends this POST, which now has a place in the queue. */
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

  /** Ends this POST and releases its place. Returns false if it is already over. */
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

  /**
   * Ends this POST and fails its calls. Reports the failure to the listener if no call waits for
   * it.
   */
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

  /** Ends this POST and its request. */
  void cancel() {
    finish();
    HttpRequests.Exchange sent = exchange;
    if (sent != null) {
      sent.cancel();
    }
  }

  /** Delivers the messages again that the receiver did not accept. */
  void resume() {
    HttpRequests.Exchange sent = exchange;
    if (sent != null) {
      sent.resume();
    }
  }
}
