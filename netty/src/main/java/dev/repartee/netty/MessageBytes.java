package dev.repartee.netty;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/** The bytes of one message while they arrive. The array is reused; it grows as bytes come. */
final class MessageBytes {
  /** An array larger than this is given back, so that idle connections cost little. */
  private static final int KEPT = 16 << 10;

  private static final byte[] NOTHING = {};

  private final int limit;
  byte[] bytes = NOTHING;
  int size;

  /** A message of {@code limit} bytes or more is refused. */
  MessageBytes(int limit) {
    this.limit = limit;
  }

  int limit() {
    return limit;
  }

  /**
   * Takes what is readable.
   *
   * @return false, taking nothing, if the message would become too large
   */
  boolean append(ByteBuf more) {
    int length = more.readableBytes();
    if (length >= limit - size) {
      return false;
    }
    if (bytes.length - size < length) {
      long roomy = Math.max(size + (long) length, Math.min(limit, 2L * bytes.length));
      bytes = Arrays.copyOf(bytes, (int) roomy);
    }
    more.readBytes(bytes, size, length);
    size += length;
    return true;
  }

  /** Starts the next message. */
  void clear() {
    size = 0;
    if (bytes.length > KEPT) {
      bytes = NOTHING;
    }
  }
}
