package dev.repartee.netty;

import dev.repartee.HeldBytes;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * The bytes of one message while they arrive. The array is reused; it grows as bytes come, as far as
 * what all connections hold leaves room.
 */
final class MessageBytes {
  /** An array larger than this is given back, so that idle connections cost little. */
  static final int KEPT = 16 << 10;

  private static final byte[] NOTHING = {};

  private final int limit;
  private final HeldBytes.Share share;
  private boolean crowded;
  byte[] bytes = NOTHING;
  int size;

  /**
   * A message of {@code limit} bytes or more is refused. An array larger than {@code free} counts as
   * held.
   */
  private MessageBytes(int limit, int free) {
    this.limit = limit;
    this.share = HeldBytes.ofProcess().share(free);
  }

  /** The bytes of what others send to us of their own accord. */
  static MessageBytes served(int limit) {
    return new MessageBytes(limit, KEPT);
  }

  /** The bytes of what we asked for, which is our own choice. */
  static MessageBytes asked(int limit) {
    return new MessageBytes(limit, Integer.MAX_VALUE);
  }

  int limit() {
    return limit;
  }

  /**
   * Takes what is readable.
   *
   * @return false, taking nothing, if the message would become too large, or there is {@linkplain
   *     #isCrowded no room}
   */
  boolean append(ByteBuf more) {
    int length = more.readableBytes();
    if (length >= limit - size) {
      return false;
    }
    if (bytes.length - size < length) {
      long roomy = Math.max(size + (long) length, Math.min(limit, 2L * bytes.length));
      if (!share.hold(roomy)) {
        crowded = true;
        return false;
      }
      bytes = Arrays.copyOf(bytes, (int) roomy);
    }
    more.readBytes(bytes, size, length);
    size += length;
    return true;
  }

  /** Whether what was not taken is small enough, but all connections together hold too much. */
  boolean isCrowded() {
    return crowded;
  }

  /** How many bytes are held of a message that is large enough to count. */
  int held() {
    return share.counted() == 0 ? 0 : size;
  }

  /** Starts the next message. */
  void clear() {
    size = 0;
    crowded = false;
    if (bytes.length > KEPT) {
      bytes = NOTHING;
    }
    share.hold(bytes.length);
  }
}
