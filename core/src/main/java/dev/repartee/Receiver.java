package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * Who a {@link Channel} delivers to: called by one thread at a time, and never after {@link #closed}.
 */
public interface Receiver {
  /**
   * Frames that have arrived together follow. A channel may say so, to have done once for all of them
   * what would be done for each; whatever comes, {@link #burstEnds} comes after it, on the same thread.
   */
  default void burstBegins() {}

  /** All that had arrived was delivered. */
  default void burstEnds() {}

  /**
   * Takes one frame. The bytes are valid only until this returns.
   *
   * @return whether the frame was JSON; after one that was not, a framing that cannot find the next
   *     message ends the connection
   */
  boolean frame(byte[] bytes, int from, int to);

  /** Takes note of input that no frame could be made of. */
  void fault(FrameFault fault);

  /**
   * Whether another frame is welcome now. While it is not, the channel delivers nothing and stops
   * reading, until {@link Channel#resume()}.
   */
  boolean ready();

  /**
   * The peer has said all it will: no more frames will come. What is sent may still reach it, until
   * this side closes the channel. A peer that died looks the same, unless {@link #hungUp} says so.
   */
  void inputEnded();

  /** As {@link #inputEnded()}, where the peer has said why in a way that the transport knows. */
  default void inputEnded(Throwable why) {
    inputEnded();
  }

  /**
   * The peer reads no more: it has closed the connection or was reset, so that no answer reaches it.
   * What it sent before may still be delivered. Only some transports can tell, and they may tell it
   * again.
   */
  default void hungUp() {}

  /**
   * The channel has ended both ways; this is the last call.
   *
   * @param cause null after an orderly end, else why, in a message for people
   */
  void closed(@Nullable Throwable cause);
}
