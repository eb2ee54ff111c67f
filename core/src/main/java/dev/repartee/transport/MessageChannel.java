package dev.repartee.transport;

import dev.repartee.framing.Receiver;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A channel without a connection: each message travels alone, and what the other side sends back
 * belongs to it, as over HTTP or a message broker. Messages that are under way at the same time
 * have no order, and a message that fails in the transport fails alone.
 *
 * <p>A transport has to implement {@link #start}, {@link #open}, {@link #send}, {@link #abort} and
 * {@link #info}. It delivers all that comes back to the {@link Receiver}, one frame at a time,
 * after {@link Receiver#ready} and {@link OutgoingMessage#takesItems} have returned true; {@link
 * #resume} is called when they have to be asked again. A reply need not answer the message: after
 * the last reply the transport fails a message that is not {@linkplain OutgoingMessage#isDone
 * done}. {@code docs/transports.md} shows a complete transport.
 */
public interface MessageChannel extends Channel {
  /**
   * Sends a message. Never blocks: a message that cannot be sent now is queued.
   *
   * @throws DisconnectedException if the message cannot be sent; its calls fail with it
   */
  void send(OutgoingMessage message);

  /** Sends a frame without calls, such as an answer to the other side. */
  @Override
  default void commit(OutboundFrame frame) {
    send(OutgoingMessage.of(frame));
  }

  /**
   * Returns whether the channel cancels the calls of an {@linkplain OutgoingMessage.Ended unwanted}
   * message at the other side, such as by the end of its HTTP request; false, the default, if a
   * cancellation message is needed.
   */
  default boolean cancels() {
    return false;
  }

  /**
   * Returns the source of the ids of the calls over this channel; null, the default, if they count
   * from 1. For a channel over which several services answer: a service that knows the id of its
   * call must not be able to guess the ids of the other calls. The numbers are positive, have at
   * most 18 digits, and do not repeat while a call waits. Called once; the source is called with a
   * lock, and does not block.
   */
  default @Nullable LongSupplier numbering() {
    return null;
  }
}
