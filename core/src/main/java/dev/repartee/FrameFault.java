package dev.repartee;

/**
 * A defect in the input of a connection: bytes that are not a valid frame.
 *
 * @param error the error to answer with, under the id null. It contains none of the input
 * @param reason the defect and the remedy in a sentence for the {@link Listener} of this side. It
 *     may contain an excerpt of the input
 * @param fatal whether the end of the bad input cannot be found, so that the connection must end
 *     after the answer
 * @param index the start of the bad input in the array that was passed to {@link Frames#read};
 *     negative if it began in an earlier array. A channel {@linkplain #inStream adds} the offset in
 *     the stream to the two texts
 */
public record FrameFault(RpcError error, String reason, boolean fatal, int index) {
  /** Returns the fault for a frame of {@link Limits#frameBytes} or more, which is skipped. */
  public static FrameFault tooLarge(long max) {
    return new FrameFault(
        RpcError.limit(
            RpcError.TOO_LARGE, "Message too large; send it in parts", "frameBytes", max),
        "a frame of " + max + " bytes or more, the limit frameBytes",
        false,
        0);
  }

  /**
   * Returns a fault for input that breaks the framing, but has an end that can be found.
   *
   * @param what the defect in a sentence for the peer, without any of the input
   */
  public static FrameFault unreadable(String what, int index) {
    return new FrameFault(RpcError.notJson(what), what, false, index);
  }

  /**
   * Returns a fault for input behind which no message can be found.
   *
   * @param what the defect in a sentence for the peer, without any of the input
   */
  public static FrameFault fatal(String what, int index) {
    return new FrameFault(RpcError.notJson(what), what, true, index);
  }

  /**
   * Returns this fault with an excerpt of {@code b[from, to)} in the reason, but not in the error.
   */
  FrameFault showing(byte[] b, int from, int to) {
    return showing(Bytes.excerpt(b, from, to));
  }

  /** Returns this fault with an excerpt of the input in the reason. */
  FrameFault showing(String excerpt) {
    return new FrameFault(error, reason + ", but found " + excerpt, fatal, index);
  }

  /**
   * Returns this fault with its position in the stream, if the error has a text: in the error and
   * in the reason.
   *
   * @param offset the offset in the stream at which the array began
   */
  FrameFault inStream(long offset) {
    Json what = error.data();
    if (what == null || what.kind() != Json.Kind.STRING) {
      return this;
    }
    String place = "at offset " + (offset + index) + " of the stream: ";
    return new FrameFault(
        RpcError.notJson(place + what.as(String.class)), place + reason, fatal, index);
  }
}
