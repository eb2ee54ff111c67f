package dev.repartee.transport.http.server;

import dev.repartee.limits.MemoryBudget;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The bytes of one message while it arrives. The array is used again for the next message. It grows
 * with the message, as far as the memory budget of the process allows. Not thread-safe.
 */
public class MessageBuffer {
  /**
   * Larger arrays are dropped after their message, because idle connections should need little
   * memory.
   */
  protected static final int KEPT = 16 << 10;

  private static final byte[] NOTHING = {};

  private final int limit;
  private final MemoryBudget.Share share;
  private boolean crowded;

  /** The message, in the first {@link #size} bytes. Only {@link #reserve} replaces the array. */
  public byte[] bytes = NOTHING;

  /** The number of bytes of the message. */
  public int size;

  /**
   * Creates an empty buffer.
   *
   * @param limit a message of this many bytes or more is refused
   * @param free an array of up to this many bytes is not charged to the memory budget
   */
  protected MessageBuffer(int limit, int free) {
    this.limit = limit;
    this.share = MemoryBudget.ofProcess().share(free);
  }

  /**
   * Creates an empty buffer for messages that this side has not requested; charged to the memory
   * budget.
   */
  public MessageBuffer(int limit) {
    this(limit, KEPT);
  }

  /** Returns the size from which a message is refused. */
  public final int limit() {
    return limit;
  }

  /**
   * Makes room for more bytes, which the caller copies to {@code bytes[size]} and counts.
   *
   * @return false, changing nothing, if the message would reach the limit or the memory budget is
   *     {@linkplain #isCrowded exhausted}
   */
  public final boolean reserve(int length) {
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
    return true;
  }

  /**
   * Appends bytes.
   *
   * @return false, appending nothing, as {@link #reserve} returns it
   */
  public final boolean append(ByteBuffer more) {
    int length = more.remaining();
    if (!reserve(length)) {
      return false;
    }
    more.get(bytes, size, length);
    size += length;
    return true;
  }

  /**
   * Returns whether bytes of the current message were refused because the memory budget is
   * exhausted, not because of the limit.
   */
  public final boolean isCrowded() {
    return crowded;
  }

  /** Returns the size of the message if it is charged to the memory budget, otherwise 0. */
  public final int held() {
    return share.counted() == 0 ? 0 : size;
  }

  /** Returns whether the message is UTF-8. Skips leading ASCII without decoding it. */
  public final boolean isUtf8() {
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
  public final void clear() {
    size = 0;
    crowded = false;
    if (bytes.length > KEPT) {
      bytes = NOTHING;
    }
    share.hold(bytes.length);
  }
}
