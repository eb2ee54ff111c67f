package shop;

import dev.repartee.transport.FrameSink;
import dev.repartee.transport.OutboundFrame;
import java.util.Arrays;
import java.util.OptionalInt;

/** The reply to one request, with the code that becomes the status of the response. */
final class Reply implements FrameSink {
  private final int limit;
  private volatile byte[] text;
  private volatile OptionalInt errorCode = OptionalInt.empty();
  private volatile Throwable failure;

  /**
   * @param limit the maximum size in bytes
   */
  Reply(int limit) {
    this.limit = limit;
  }

  @Override
  public OutboundFrame open() {
    return new OutboundFrame(limit);
  }

  @Override
  public void commit(OutboundFrame frame) {
    errorCode = frame.errorCode();
    text = Arrays.copyOfRange(frame.array(), frame.textStart(), frame.size());
  }

  @Override
  public void abort(Throwable cause) {
    failure = cause;
  }

  /** Returns the text; null if all messages were notifications. */
  byte[] text() {
    return text;
  }

  /** Returns the code of the error; empty for a result or a batch. */
  OptionalInt errorCode() {
    return errorCode;
  }

  /** Returns the reason if there is no reply because it could not be written; otherwise null. */
  Throwable failure() {
    return failure;
  }
}
