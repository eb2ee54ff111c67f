package dev.repartee.netty;

import dev.repartee.transport.http.server.MessageBuffer;
import io.netty.buffer.ByteBuf;

/** The bytes of one message while it arrives in buffers of Netty. */
final class MessageBytes extends MessageBuffer {
  private MessageBytes(int limit, int free) {
    super(limit, free);
  }

  /**
   * Returns a buffer for messages that this side has not requested; charged to the memory budget.
   */
  static MessageBytes served(int limit) {
    return new MessageBytes(limit, KEPT);
  }

  /**
   * Returns a buffer for responses to this side's own requests; not charged to the memory budget.
   */
  static MessageBytes asked(int limit) {
    return new MessageBytes(limit, Integer.MAX_VALUE);
  }

  /**
   * Appends the readable bytes.
   *
   * @return false, appending nothing, if the message would reach the limit or the memory budget is
   *     {@linkplain #isCrowded exhausted}
   */
  boolean append(ByteBuf more) {
    int length = more.readableBytes();
    if (!reserve(length)) {
      return false;
    }
    more.readBytes(bytes, size, length);
    size += length;
    return true;
  }
}
