package dev.repartee.framing;

import org.jspecify.annotations.Nullable;

/**
 * The receiver of the frames and events of a {@link dev.repartee.transport.Channel}. The channel
 * calls it from one thread at a time, apart from {@link #roomAgain}, and never after {@link
 * #closed}.
 */
public interface Receiver {
  /**
   * Announces frames that have arrived together. A channel may call this method; the receiver then
   * does some of its work once for the burst instead of once for each frame. {@link #burstEnds}
   * must follow on the same thread, also after an exception.
   */
  default void burstBegins() {}

  /** Ends a burst, after its last frame was delivered. */
  default void burstEnds() {}

  /**
   * Receives one frame, {@code bytes[from, to)}. The array may be overwritten after this method
   * returns.
   *
   * @return whether the frame was JSON. If it was not, a framing that finds the end of a message by
   *     its JSON text cannot find the next message and ends the connection
   */
  boolean frame(byte[] bytes, int from, int to);

  /**
   * Reports that the peer broke a rule of the transport in a way that fails no call. The connection
   * continues.
   *
   * @param violation the broken rule, in a sentence
   */
  default void violation(String violation) {}

  /**
   * Reports a change of the connection that operators should know, although no peer broke a rule:
   * the loss of a message broker, to which the channel connects again by itself, and its return.
   *
   * @param event the event, in a sentence
   */
  default void notice(String event) {}

  /** Receives a report about input that the framing cannot read. */
  void fault(FrameFault fault);

  /**
   * Returns whether this receiver accepts another frame now. If not, the channel delivers nothing
   * and stops reading. It calls this method again when {@link
   * dev.repartee.transport.Channel#resume()} was called, and when its write queue has room for
   * answers again.
   *
   * <p>A receiver that answers should not be ready while the channel {@linkplain
   * dev.repartee.transport.FrameSink#takesAnswers() takes no answers}: otherwise a peer that does
   * not read fills the write queue without a bound. The exception is a receiver that waits for
   * answers itself. It has to accept frames, and to queue the requests among them until {@link
   * #roomAgain}. Otherwise two peers that call each other could both stop reading, each with the
   * other's answers unread.
   */
  boolean ready();

  /**
   * Reports that the write queue has room for answers again, after {@link
   * dev.repartee.transport.FrameSink#takesAnswers} may have returned false. Unlike the other
   * methods it may be called on any thread, at the same time as them, and also after {@link
   * #inputClosed}. It must not block. Does nothing by default.
   */
  default void roomAgain() {}

  /**
   * Reports that no more frames will arrive. Frames may still be sent to the peer until this side
   * closes the channel. A peer that has died looks the same, unless {@link #hungUp} is called.
   *
   * @param cause the reason that the peer has given, with a message for people; null if it has
   *     given none, or the transport carries none
   */
  void inputClosed(@Nullable Throwable cause);

  /**
   * Reports that the peer no longer reads, because it has closed or reset the connection: no answer
   * will reach it. Frames that it has sent before may still be delivered. Only some transports can
   * detect this, and they may report it more than once. It ends nothing by itself.
   */
  default void hungUp() {}

  /**
   * Reports that the channel has ended in both directions. This is the last call.
   *
   * @param cause the reason, with a message for people, or null after an orderly end
   */
  void closed(@Nullable Throwable cause);
}
