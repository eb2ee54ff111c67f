package dev.repartee;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A growing buffer of UTF-8 bytes that JSON is written into.
 *
 * <p>It writes values, not structure: commas and braces are the writer's own. Not thread-safe; one
 * frame is built by one thread. Growing past {@link #limit(int) its limit} throws {@link
 * LimitException}, so that no reply can exhaust the memory.
 */
public final class Output {
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  /** Ten to the power of the index; 0 for the first, since 0 has a digit too. */
  private static final long[] POWERS = new long[19];

  /** The digits of 0 to 99: those of the units in the high byte. */
  private static final short[] PAIRS = new short[100];

  static {
    long power = 1;
    for (int i = 1; i < POWERS.length; i++) {
      power *= 10;
      POWERS[i] = power;
    }
    for (int i = 0; i < PAIRS.length; i++) {
      PAIRS[i] = (short) ('0' + i % 10 << 8 | '0' + i / 10);
    }
  }

  /** Eight digits behind the point, which leave seven before it. */
  private static final int FRACTION = 100_000_000;

  /** What stands behind a backslash for a character of ASCII, 0 where it stands for itself. */
  private static final byte[] ESCAPES = new byte[0x80];

  static {
    Arrays.fill(ESCAPES, 0, 0x20, (byte) 'u');
    ESCAPES['"'] = '"';
    ESCAPES['\\'] = '\\';
    ESCAPES['\b'] = 'b';
    ESCAPES['\f'] = 'f';
    ESCAPES['\n'] = 'n';
    ESCAPES['\r'] = 'r';
    ESCAPES['\t'] = 't';
  }

  /** The largest size that an array may have. */
  static final int NO_LIMIT = Integer.MAX_VALUE - 8;

  private byte[] bytes;
  private int size;
  private int limit = NO_LIMIT;

  /** What may be written without growing: the end of the array, or the limit before it. */
  private int end;

  /** How many containers are open around what is written next. */
  private int depth;

  /** Where the frame under construction starts: the channel's note to itself. */
  int frame;

  /**
   * Whether this frame starts something of our own, whose sender waits for room. Only answers, whose
   * senders never wait, make a channel stop reading: if calls did too, two peers that call each other
   * could both stop, each with the other's answers unread.
   */
  boolean initiated;

  /** The calls in this frame, if there are any. */
  @Nullable Awaited awaited;

  /** Who is told that the peer did not take this frame, if anybody is. */
  private @Nullable Consumer<RuntimeException> sender;

  /** The calls of a frame on its way. */
  interface Awaited {
    /** Whether somebody waits for one of them. */
    boolean isAwaited();

    /** Returns whether the frame holds calls and nothing else, and all of them were given up. */
    boolean isGivenUp();

    /** Returns the same for a frame that was not committed yet. */
    boolean isGivenUpUnsent();

    /** Fails those that are still waited for. */
    void fail(RuntimeException cause);
  }

  /** The error that this frame answers with, if it is one answer and that an error. */
  @Nullable RpcError error;

  /** An empty buffer with room for 256 bytes. */
  public Output() {
    this(256);
  }

  /** An empty buffer with room for {@code capacity} bytes. */
  public Output(int capacity) {
    this.bytes = new byte[capacity];
    this.end = capacity;
  }

  /** Sets the size in bytes past which writing throws. */
  public Output limit(int limit) {
    this.limit = limit;
    this.end = Math.min(limit, bytes.length);
    return this;
  }

  /**
   * Whether this frame is a call or notification of our own rather than an answer. A channel that is
   * full of answers stops reading; senders of the others wait for room.
   */
  public boolean isInitiated() {
    return initiated;
  }

  /**
   * Marks this frame so; for senders on a channel of their own that wait for {@linkplain
   * Channel#awaitRoom room} before they commit it.
   */
  public Output initiate() {
    initiated = true;
    return this;
  }

  /**
   * As {@link #initiate()}, and has {@code sender} told, on a thread that must not block, why the peer did
   * not take this frame, where a transport can know that while the channel goes on.
   */
  public Output initiate(Consumer<RuntimeException> sender) {
    this.sender = sender;
    return initiate();
  }

  /**
   * The error that this frame answers with; null for a result, a batch, and all that is no answer. For
   * transports that say so outside of the frame too.
   */
  public @Nullable RpcError error() {
    return error;
  }

  /**
   * Whether this frame holds calls and somebody still waits for an answer to one of them, or its sender
   * wants to hear whether it was taken. For transports that carry an answer back to the one frame that
   * asked for it.
   */
  public boolean isAwaited() {
    return sender != null || awaited != null && awaited.isAwaited();
  }

  /**
   * Returns whether this frame holds calls and nothing else, and all of them were given up. A transport
   * that has not begun to send such a frame drops it: the peer would run calls that nobody waits for.
   */
  public boolean isGivenUp() {
    return sender == null && awaited != null && awaited.isGivenUp();
  }

  /**
   * Tells whoever sent this frame that the peer did not take it; its calls are {@linkplain #unanswered
   * unanswered}. Thread-safe.
   */
  public void refused(RuntimeException cause) {
    if (sender != null) {
      sender.accept(cause);
    }
    unanswered(cause);
  }

  /**
   * Fails the calls in this frame that are still waited for: the transport knows that no answer will
   * come, while the channel goes on. Does nothing for other frames. Thread-safe.
   */
  public void unanswered(RuntimeException cause) {
    if (awaited != null) {
      awaited.fail(cause);
    }
  }

  /** Bytes written so far. */
  public int size() {
    return size;
  }

  /** The backing array, valid up to {@link #size()} and until the next write. */
  public byte[] array() {
    return bytes;
  }

  /** Forgets everything after the first {@code size} bytes. */
  public void truncate(int size) {
    if (size < 0 || size > this.size) {
      throw new IllegalArgumentException("cannot truncate " + this.size + " bytes to " + size);
    }
    this.size = size;
    this.depth = 0; // only whole values are taken back
  }

  /**
   * Opens an array or object.
   *
   * @throws IllegalArgumentException if that is one too many: the end of a structure that holds itself
   */
  Output open(int bracket) {
    if (++depth > Limits.DEPTH) {
      throw new IllegalArgumentException(
          "the value nests deeper than " + Limits.DEPTH + ": does it hold itself?");
    }
    return put(bracket);
  }

  /** Closes what {@link #open} opened. */
  Output close(int bracket) {
    depth--;
    return put(bracket);
  }

  /** A copy of what was written. */
  public byte[] toBytes() {
    return Arrays.copyOf(bytes, size);
  }

  /** Appends one byte. */
  public Output put(int b) {
    if (size >= end) {
      grow(1);
    }
    bytes[size++] = (byte) b;
    return this;
  }

  /** Appends bytes as they are: that they are JSON in their place is the writer's word. */
  public Output raw(byte[] source) {
    return raw(source, 0, source.length);
  }

  /** Appends {@code source[from, to)} as it is. */
  public Output raw(byte[] source, int from, int to) {
    int length = to - from;
    reserve(length);
    System.arraycopy(source, from, bytes, size, length);
    size += length;
    return this;
  }

  /** Appends a text that is known to be ASCII, as it is. */
  public Output ascii(String text) {
    int length = text.length();
    reserve(length);
    for (int i = 0; i < length; i++) {
      bytes[size + i] = (byte) text.charAt(i);
    }
    size += length;
    return this;
  }

  /** Appends a JSON value as it is. */
  public Output json(Json value) {
    return raw(value.source(), value.start(), value.end());
  }

  /** Appends {@code null}. */
  public Output nil() {
    return ascii("null");
  }

  /** Appends {@code true} or {@code false}. */
  public Output bool(boolean value) {
    return ascii(value ? "true" : "false");
  }

  /** Appends an integer. */
  public Output number(long value) {
    if (value == Long.MIN_VALUE) {
      return ascii("-9223372036854775808");
    }
    long rest = Math.abs(value);
    int digits = digits(rest);
    reserve(value < 0 ? digits + 1 : digits); // no more: what fits is not refused
    if (value < 0) {
      bytes[size++] = '-';
    }
    int at = size + digits;
    size = at;
    while (rest > Integer.MAX_VALUE) {
      bytes[--at] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    int low = (int) rest;
    while (low >= 10) {
      int pair = PAIRS[low % 100];
      bytes[--at] = (byte) (pair >> 8);
      bytes[--at] = (byte) pair;
      low /= 100;
    }
    if (at > size - digits) {
      bytes[at - 1] = (byte) ('0' + low);
    }
    return this;
  }

  /** How many digits a number has that is not negative. */
  private static int digits(long value) {
    int guess = (64 - Long.numberOfLeadingZeros(value | 1)) * 1233 >> 12; // times log10(2)
    return guess + (value >= POWERS[guess] ? 1 : 0);
  }

  /**
   * Appends a number, an integral one without a fraction ({@code 19}, not {@code 19.0}).
   *
   * @throws IllegalArgumentException for NaN and the infinities, which JSON cannot express
   */
  public Output number(double value) {
    long integral = (long) value;
    if (integral == value && Math.abs(value) < 1e15 && !(value == 0 && 1 / value < 0)) {
      return number(integral);
    }
    requireFinite(value);
    double magnitude = Math.abs(value);
    if (magnitude >= 1e-3 && magnitude < 1e7) { // what Double.toString writes without an exponent
      long scaled = (long) (magnitude * FRACTION + 0.5);
      if ((double) scaled / FRACTION == magnitude) {
        return decimal(value < 0, (int) (scaled / FRACTION), (int) (scaled % FRACTION));
      }
    }
    return ascii(Double.toString(value));
  }

  /**
   * Appends a decimal with a fraction in units of {@code 1 / FRACTION}, without zeros at its end. That is
   * the shortest text of a double that it is equal to: no two decimals of up to 15 digits are the same
   * double.
   */
  private Output decimal(boolean negative, int whole, int fraction) {
    if (negative) {
      put('-');
    }
    number(whole).put('.');
    for (int rest = fraction; rest != 0; rest = rest % (FRACTION / 10) * 10) {
      put('0' + rest / (FRACTION / 10));
    }
    return this;
  }

  /** Appends a number with no more digits than a {@code float} has. */
  public Output number(float value) {
    if ((long) value == value) {
      return number((double) value);
    }
    requireFinite(value);
    return ascii(Float.toString(value));
  }

  private static void requireFinite(double value) {
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      throw new IllegalArgumentException(value + " is not a JSON number");
    }
  }

  /** Appends an integer of any size. */
  public Output number(BigInteger value) {
    return ascii(value.toString());
  }

  /** Appends a decimal with the digits it has. */
  public Output number(BigDecimal value) {
    return ascii(value.toString());
  }

  /** Appends a string in quotes, escaped as RFC 8259 section 7 requires and no further. */
  public Output string(CharSequence text) {
    int length = text.length();
    reserve(length + 2);
    bytes[size++] = '"';
    for (int i = plain(text, 0); i < length; i = plain(text, i)) {
      i += escape(text, i, text.charAt(i)) + 1;
      reserve(length - i + 1);
    }
    return put('"');
  }

  /** Writes what is plain ASCII from {@code i} on, for which there is room; answers where it ends. */
  private int plain(CharSequence text, int i) {
    int length = text.length();
    byte[] b = bytes;
    int at = size - i;
    int end = i;
    while (end < length) {
      char c = text.charAt(end);
      if (c >= ESCAPES.length || ESCAPES[c] != 0) {
        break;
      }
      b[at + end++] = (byte) c;
    }
    size = at + end;
    return end;
  }

  /** Writes the char at {@code i} that is not plain ASCII; answers how many more it took. */
  private int escape(CharSequence text, int i, char c) {
    if (c < 0x80 && ESCAPES[c] != 'u') {
      put('\\').put(ESCAPES[c]);
    } else if (c < 0x80) {
      unicode(c);
    } else if (c < 0x800) {
      put(0xC0 | c >> 6).put(0x80 | c & 0x3F);
    } else if (!Character.isSurrogate(c)) {
      put(0xE0 | c >> 12).put(0x80 | c >> 6 & 0x3F).put(0x80 | c & 0x3F);
    } else if (Character.isHighSurrogate(c)
        && i + 1 < text.length()
        && Character.isLowSurrogate(text.charAt(i + 1))) {
      int point = Character.toCodePoint(c, text.charAt(i + 1));
      put(0xF0 | point >> 18).put(0x80 | point >> 12 & 0x3F);
      put(0x80 | point >> 6 & 0x3F).put(0x80 | point & 0x3F);
      return 1;
    } else {
      unicode(c); // a lone surrogate has no UTF-8 form, but an escape keeps it
    }
    return 0;
  }

  private void unicode(char c) {
    ascii("\\u");
    put(HEX[c >> 12]).put(HEX[c >> 8 & 15]).put(HEX[c >> 4 & 15]).put(HEX[c & 15]);
  }

  /** Makes room for so many bytes more, so that writing them cannot fail halfway. */
  void reserve(int more) {
    if (end - size < more) {
      grow(more);
    }
  }

  /** The size of the array once so many bytes more were written. */
  int capacityFor(int more) {
    long wanted = (long) size + more;
    return wanted <= bytes.length
        ? bytes.length
        : (int) Math.min(limit, Math.max(wanted, bytes.length * 2L));
  }

  private void grow(int more) {
    if ((long) size + more > limit) {
      throw new LimitException("frameBytes", limit - frame);
    }
    bytes = Arrays.copyOf(bytes, capacityFor(more));
    end = Math.min(limit, bytes.length);
  }

  /** What was written, as text. */
  @Override
  public String toString() {
    return new String(bytes, 0, size, StandardCharsets.UTF_8);
  }
}
