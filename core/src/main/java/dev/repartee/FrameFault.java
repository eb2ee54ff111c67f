package dev.repartee;

/**
 * Input that no frame could be made of.
 *
 * @param error the answer that the sender is owed, with id null
 * @param reason what was wrong, in a sentence that names the input and the remedy; it may show some of
 *     the input, which the error does not
 * @param fatal whether the end of the bad input cannot be found, so that the connection must end
 *     (after the answer was sent)
 * @param index where the bad input begins in the array that {@link Frames#read} was given: before it,
 *     where it began in an earlier one. A channel {@linkplain #inStream tells} the offset instead
 */
public record FrameFault(RpcError error, String reason, boolean fatal, int index) {
  /** A frame of {@link Limits#frameBytes} or more, which will be skipped. */
  public static FrameFault tooLarge(long max) {
    return new FrameFault(
        RpcError.limit(
            RpcError.TOO_LARGE, "Message too large; send it in parts", "frameBytes", max),
        "a frame of " + max + " bytes or more, the limit frameBytes",
        false,
        0);
  }

  /** Input that breaks the framing but whose end can be found; {@code what} shows none of it. */
  public static FrameFault unreadable(String what, int index) {
    return new FrameFault(RpcError.notJson(what), what, false, index);
  }

  /** Input after which no message can be found; {@code what} shows none of it. */
  public static FrameFault fatal(String what, int index) {
    return new FrameFault(RpcError.notJson(what), what, true, index);
  }

  /** The same, showing the one who reads {@code b[from, to)}, but not the one who sent it. */
  FrameFault showing(byte[] b, int from, int to) {
    return showing(Bytes.excerpt(b, from, to));
  }

  /** The same, with an excerpt of the input. */
  FrameFault showing(String excerpt) {
    return new FrameFault(error, reason + ", but " + excerpt + " stands there", fatal, index);
  }

  /** The same where the array began at that offset in the stream: a sentence then tells its place. */
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
