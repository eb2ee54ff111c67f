package dev.repartee;

import dev.repartee.transport.Headers;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;

/** The calls of a frame that may be cancelled or time out before they are sent. */
interface Unsent {
  /**
   * Returns whether the frame contains nothing but calls, and all of them were cancelled or timed
   * out before the commit.
   */
  boolean isGivenUpUnsent();

  /**
   * Returns a message with the text that was written.
   *
   * @param by the caller that sends it
   */
  OutgoingMessage message(OutboundFrame text, Headers headers, Caller by);

  /**
   * Returns the nanoseconds until all calls have timed out; {@link Long#MAX_VALUE} if one of them
   * has no time limit.
   */
  long timeLeft();
}
