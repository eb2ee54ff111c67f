package dev.repartee.framing;

import dev.repartee.internal.Bytes;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import org.jspecify.annotations.Nullable;

/**
 * A defect in the input of a connection: bytes that are not a valid frame.
 *
 * @param defect one sentence for the peer. It contains none of the input
 * @param reason the defect and the remedy in a sentence for the {@link dev.repartee.Listener} of
 *     this side. It may contain an excerpt of the input
 * @param limit the limit that the frame exceeds; null if the input cannot be read
 * @param fatal whether the end of the bad input cannot be found, so that the connection must end
 *     after the answer
 * @param index the start of the bad input in the array that was passed to {@link Frames#read};
 *     negative if it began in an earlier array. A channel {@linkplain #inStream adds} the offset in
 *     the stream to the two texts
 */
public record FrameFault(
    String defect, String reason, @Nullable LimitException limit, boolean fatal, int index) {
  /** Returns the fault for a frame of {@link Limits#frameBytes} or more, which is skipped. */
  public static FrameFault tooLarge(long max) {
    String defect = "a frame of " + max + " bytes or more, the limit frameBytes";
    return new FrameFault(defect, defect, new LimitException("frameBytes", max), false, 0);
  }

  /**
   * Returns the fault for a frame that announces too many bytes to skip them: the connection would
   * discard its input for hours, and look alive. The fault is fatal.
   */
  static FrameFault tooLargeToSkip(long max, long most) {
    String defect = "a frame of more than " + most + " bytes, " + most / max
        + " times the limit frameBytes; the connection ends, since skipping it takes too long";
    return new FrameFault(defect, defect, new LimitException("frameBytes", max), true, 0);
  }

  /**
   * Returns the fault for a partly received frame that does not fit into the memory budget. The
   * fault is fatal: the rest of the frame is not read, and without it the next frame cannot be
   * found.
   */
  public static FrameFault overBudget(LimitException budget) {
    String defect = "a message beyond the limit " + budget.limit() + " of " + budget.max()
        + " bytes for all connections together";
    return new FrameFault(defect, defect, budget, true, 0);
  }

  /**
   * Returns a fault for input that breaks the framing, but has an end that can be found.
   *
   * @param defect one sentence for the peer, without any of the input
   */
  public static FrameFault unreadable(String defect, int index) {
    return new FrameFault(defect, defect, null, false, index);
  }

  /**
   * Returns a fault for input after which no message can be found.
   *
   * @param defect one sentence for the peer, without any of the input
   */
  public static FrameFault fatal(String defect, int index) {
    return new FrameFault(defect, defect, null, true, index);
  }

  /**
   * Returns this fault with an excerpt of {@code b[from, to)} in the reason, but not in the text
   * for the peer.
   */
  FrameFault showing(byte[] b, int from, int to) {
    return showing(Bytes.excerpt(b, from, to));
  }

  /** Returns this fault with an excerpt of the input in the reason. */
  FrameFault showing(String excerpt) {
    return new FrameFault(defect, reason + ", but found " + excerpt, limit, fatal, index);
  }

  /**
   * Returns this fault with its position in the stream in both texts. The fault of a limit has no
   * position.
   *
   * @param offset the offset in the stream at which the array began
   */
  public FrameFault inStream(long offset) {
    if (limit != null) {
      return this;
    }
    String place = "at offset " + (offset + index) + " of the stream: ";
    return new FrameFault(place + defect, place + reason, null, fatal, index);
  }
}
