package dev.repartee.netty;

import dev.repartee.limits.MemoryBudget;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The bytes of one message while it arrives. The array is used again for the next message. It grows
 * with the message, as far as the memory budget of the process allows.
 */
final class MessageBytes {
  /**
   * Larger arrays are dropped after their message, because idle connections should need little
   * memory.
   */
  static final int KEPT = 16 << 10;

  private static final byte[] NOTHING = {};

  private final int limit;
  private final MemoryBudget.Share share;
  private boolean crowded;
  byte[] bytes = NOTHING;
  int size;

  /**
   * Creates an empty buffer.
   *
   * @param limit a message of this many bytes or more is refused
   * @param free an array of up to this many bytes is not charged to the memory budget
   */
  private MessageBytes(int limit, int free) {
    this.limit = limit;
    this.share = MemoryBudget.ofProcess().share(free);
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

  int limit() {
    return limit;
  }

  /**
   * Appends the readable bytes.
   *
   * @return false, appending nothing, if the message would reach the limit or the memory budget is
   *     {@linkplain #isCrowded exhausted}
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

  /**
   * Returns whether bytes of the current message were refused because the memory budget is
   * exhausted, not because of the limit.
   */
  boolean isCrowded() {
    return crowded;
  }

  /** Returns the size of the message if it is charged to the memory budget, otherwise 0. */
  int held() {
    return share.counted() == 0 ? 0 : size;
  }

  /** Returns whether the message is UTF-8. Skips leading ASCII without decoding it. */
  boolean isUtf8() {
    int i = 0;
    while (i < size && bytes[i] >= 0) {
      i++;
    }
    if (i == size) {
      return true;
    }
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, i, size - i));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  /** Empties the buffer for the next message. */
  void clear() {
    size = 0;
    crowded = false;
    if (bytes.length > KEPT) {
      bytes = NOTHING;
    }
    share.hold(bytes.length);
  }
}
