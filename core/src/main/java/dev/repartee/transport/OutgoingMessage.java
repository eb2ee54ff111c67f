package dev.repartee.transport;

import dev.repartee.json.Json;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A message that a {@link MessageChannel} sends: a call, a batch, a notification, or an answer to
 * the other side. The channel reads facts from it, reports failures to it, and is notified when no
 * caller waits for its answers any longer. The channel need not know whether a call is pending.
 *
 * <p>Thread-safe; no method blocks. {@link #fail} must not be called with a lock that the action of
 * {@link #onEnd} acquires.
 */
public interface OutgoingMessage {
  /*
   * Implementation note.
   *
   *   the caller                 the channel                        the other side
   *
   *   send(message) -----------> text() -------------------------->
   *                              Receiver.frame <------------------ answers
   *   the last call has ended -> onEnd
   *              fails <-------- fail(cause)
   *
   * The unit is the message and not the call, because HTTP and brokers carry a batch as one body
   * with one reply. Answers do not go to this object: the receiver of the channel gets them, as on
   * a connection, since they may be requests and notifications too, need one thread at a time, and
   * are recorded there. It finds the calls by their ids.
   *
   * The end is pushed. A channel that asked each message whether it is still awaited had to keep
   * the messages in tables for that, and to search them after each cancellation.
   *
   * Facts that a channel sends beside the text, such as headers(), belong here, beside
   * isIdempotent().
   */

  /** Receives the end of all calls of a message. */
  @FunctionalInterface
  interface Ended {
    /**
     * Called once, when no call of the message waits for its answer any longer: each has ended, or
     * is sent again in another message.
     *
     * @param unwanted whether the message has nothing but calls, and one of them has ended without
     *     an answer: then the other side should not run it
     */
    void ended(boolean unwanted);
  }

  /**
   * Returns the text. One thread at a time may read it.
   *
   * @throws IllegalStateException after {@link #dropText}
   */
  OutboundFrame text();

  /**
   * Releases the text of a message with calls, for a channel that no longer needs it and still
   * waits for the answers. Other messages keep it.
   */
  default void dropText() {}

  /** Returns the number of bytes of the text, also after {@link #dropText}. */
  int size();

  /**
   * Returns the headers of the message, such as those of {@link dev.repartee.CallBuilder#header};
   * by default none. A channel sends them beside the text, together with its own, or ignores them
   * if it cannot carry headers. None of the names belongs to a transport. The values may be secret:
   * do not log them. They may be read at any time; they do not change.
   */
  default Headers headers() {
    return Headers.NONE;
  }

  /** Returns the name of the called method; null for a batch, and if it is not known. */
  default @Nullable String method() {
    return null;
  }

  /**
   * Returns the params of the only call of a message for a {@link dev.repartee.Carrier}; null if it
   * has none, and for other messages.
   */
  default @Nullable Json params() {
    return null;
  }

  /** Returns whether the message contains calls, whose answers follow. */
  default boolean isCall() {
    return false;
  }

  /**
   * Returns whether this is neither a call nor a notification: an answer, or text that code without
   * a peer sends.
   */
  default boolean isAnswer() {
    return false;
  }

  /**
   * Returns whether the message contains nothing but calls that are declared idempotent ({@link
   * dev.repartee.Rpc#idempotent}). A channel may send it again if it cannot know whether the other
   * side has handled it.
   */
  default boolean isIdempotent() {
    return false;
  }

  /**
   * Returns whether this is a call that checks the other side: it should pass the messages that wait.
   * A channel that sends only a few messages at a time sends it beside them.
   */
  default boolean isUrgent() {
    return false;
  }

  /**
   * Returns the time in nanoseconds until all calls of the message have timed out; at most 0 if
   * they have, {@link Long#MAX_VALUE} if there is no time limit. For channels that send an expiry.
   */
  default long timeLeft() {
    return Long.MAX_VALUE;
  }

  /**
   * Returns whether the streams that the message has opened have room for more items. While this
   * returns false, the channel delivers nothing that came back with this message; {@link
   * Channel#resume} follows when it has to ask again.
   */
  default boolean takesItems() {
    return true;
  }

  /** Returns whether no call of the message waits for an answer. True if it contains no call. */
  default boolean isDone() {
    return true;
  }

  /**
   * Returns whether the message need not be handled: it has nothing but calls, and none of them
   * waits for its answer. A channel that has not sent such a message drops it.
   */
  default boolean isUnwanted() {
    return false;
  }

  /**
   * Sets the action for the end of all calls of this message; runs it now if they have ended. It
   * runs on any thread and must not block. It never runs for a message without calls. Called once,
   * by the channel that sends the message.
   */
  default void onEnd(Ended action) {}

  /**
   * Reports that the message has failed, or that no more answers will come, although the channel
   * continues: the calls that wait fail.
   *
   * @return false if no caller is notified, since the message has no calls: then the channel should
   *     report the cause to {@link dev.repartee.framing.Receiver#violation}
   */
  boolean fail(Throwable cause);

  /** Returns a message without calls. */
  static OutgoingMessage of(OutboundFrame text) {
    return of(text, Headers.NONE, null);
  }

  /** Returns a message without calls that has headers. */
  static OutgoingMessage of(OutboundFrame text, Headers headers) {
    return of(text, headers, null);
  }

  /**
   * Returns a message without known calls, of code without a peer that wants to know if the channel
   * cannot deliver it.
   *
   * @param failed receives the cause; called on a thread that must not block
   */
  static OutgoingMessage of(OutboundFrame text, @Nullable Consumer<Throwable> failed) {
    return of(text, Headers.NONE, failed);
  }

  private static OutgoingMessage of(
      OutboundFrame text, Headers headers, @Nullable Consumer<Throwable> failed) {
    return new OutgoingMessage() {
      @Override
      public OutboundFrame text() {
        return text;
      }

      @Override
      public int size() {
        return text.size();
      }

      @Override
      public Headers headers() {
        return headers;
      }

      @Override
      public boolean isAnswer() {
        return !text.isInitiated();
      }

      @Override
      public boolean fail(Throwable cause) {
        if (failed != null) {
          failed.accept(cause);
        }
        return failed != null;
      }
    };
  }
}
