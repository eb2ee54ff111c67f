package dev.repartee;

/**
 * Input that no frame could be made of.
 *
 * @param error the answer that the sender is owed, with id null
 * @param reason what was wrong, in a sentence that names the input and the remedy
 * @param fatal whether the end of the bad input cannot be found, so that the connection must end
 *     (after the answer was sent)
 */
public record FrameFault(RpcError error, String reason, boolean fatal) {
  /** A frame of {@link Limits#frameBytes} or more, which will be skipped. */
  public static FrameFault tooLarge(long max) {
    return new FrameFault(
        RpcError.limit(RpcError.TOO_LARGE, "Message too large", "frameBytes", max),
        "a frame of more than " + max + " bytes",
        false);
  }

  /** Input that breaks the framing but whose end can be found. */
  public static FrameFault unreadable(String reason) {
    return new FrameFault(RpcError.NOT_JSON, reason, false);
  }

  /** Input after which no message can be found. */
  public static FrameFault fatal(String reason) {
    return new FrameFault(RpcError.NOT_JSON, reason, true);
  }
}
