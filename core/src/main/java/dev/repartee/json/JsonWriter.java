package dev.repartee.json;

import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A growing buffer of UTF-8 bytes for writing JSON.
 *
 * <p>It writes values; the caller writes commas, colons and brackets with {@link #put}. Not
 * thread-safe. Growing above {@linkplain #limit(int) its limit} throws {@link LimitException}, so
 * that no reply can exhaust the memory. Not designed for extension.
 */
public class JsonWriter {
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  /**
   * Powers of ten by exponent. The first is 0 instead of 1, since the number 0 has one digit too.
   */
  private static final long[] POWERS = new long[19];

  /** The two digits of 0 to 99, the units in the high byte. */
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

  /**
   * The scale of decimals with eight digits after the point; seven digits before it remain exact.
   */
  private static final int FRACTION = 100_000_000;

  /** The character after the backslash in the escape of each ASCII character; 0 if it has none. */
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

  /** The maximum length of an array. */
  private static final int MAX_ARRAY = Integer.MAX_VALUE - 8;

  private byte[] bytes;
  private int size;

  /** The size above which writing fails, and the size at which this limit was set. */
  private int limit = MAX_ARRAY;

  private int limitedFrom;

  /**
   * The size up to which no growth is needed: the length of the array or, if smaller, the limit.
   */
  private int end;

  /** The number of open arrays and objects. */
  private int depth;

  /** Creates an empty buffer with room for 256 bytes. */
  public JsonWriter() {
    this(256);
  }

  /** Creates an empty buffer with room for {@code capacity} bytes. */
  public JsonWriter(int capacity) {
    this.bytes = new byte[capacity];
    this.end = capacity;
  }

  /**
   * Limits the text that follows to {@code bytes} bytes. Writing more throws {@link
   * LimitException}.
   */
  public JsonWriter limit(int bytes) {
    limitedFrom = size;
    return limitTo((int) Math.min((long) size + bytes, MAX_ARRAY));
  }

  /** Removes the limit. */
  public JsonWriter unlimited() {
    return limitTo(MAX_ARRAY);
  }

  private JsonWriter limitTo(int limit) {
    this.limit = limit;
    this.end = Math.min(limit, bytes.length);
    return this;
  }

  /** Returns the number of bytes written so far. */
  public int size() {
    return size;
  }

  /** Returns the backing array, valid up to {@link #size()} and until the next write. */
  public byte[] array() {
    return bytes;
  }

  /**
   * Drops all bytes but the first {@code size}. Cut only between whole values.
   *
   * @throws IllegalArgumentException if fewer than {@code size} bytes were written
   */
  public void truncate(int size) {
    if (size < 0 || size > this.size) {
      throw new IllegalArgumentException("cannot truncate " + this.size + " bytes to " + size);
    }
    this.size = size;
    this.depth = 0; // only whole values are dropped: no array or object is open
  }

  /**
   * Opens an array or object.
   *
   * @throws IllegalArgumentException if the nesting exceeds {@link Limits#DEPTH}, as for a
   *     collection that contains itself
   */
  public JsonWriter open(int bracket) {
    if (++depth > Limits.DEPTH) {
      throw new IllegalArgumentException(
          "the value nests deeper than " + Limits.DEPTH + ": does it hold itself?");
    }
    return put(bracket);
  }

  /** Closes the array or object that {@link #open} opened last. */
  public JsonWriter close(int bracket) {
    depth--;
    return put(bracket);
  }

  /** Returns a copy of the bytes written so far. */
  public byte[] toBytes() {
    return Arrays.copyOf(bytes, size);
  }

  /** Appends one byte. */
  public JsonWriter put(int b) {
    if (size >= end) {
      grow(1);
    }
    bytes[size++] = (byte) b;
    return this;
  }

  /** Appends bytes unchanged. The caller must ensure that they are valid JSON at this place. */
  public JsonWriter raw(byte[] source) {
    return raw(source, 0, source.length);
  }

  /** Appends {@code source[from, to)} unchanged. */
  public JsonWriter raw(byte[] source, int from, int to) {
    int length = to - from;
    reserve(length);
    System.arraycopy(source, from, bytes, size, length);
    size += length;
    return this;
  }

  /** Appends a text, which must be ASCII, unchanged. */
  public JsonWriter ascii(String text) {
    int length = text.length();
    reserve(length);
    for (int i = 0; i < length; i++) {
      bytes[size + i] = (byte) text.charAt(i);
    }
    size += length;
    return this;
  }

  /** Appends the text of a JSON value unchanged. */
  public JsonWriter json(Json value) {
    return raw(value.source(), value.start(), value.end());
  }

  /**
   * Appends a Java value by its run-time class, as {@link Json#of} does.
   *
   * @throws IllegalArgumentException if neither core nor a binder can write the value
   */
  public JsonWriter value(@Nullable Object value) {
    JsonTypes.standard().write(this, value);
    return this;
  }

  /**
   * Appends the elements of a Java array, separated by commas and without brackets.
   *
   * @param type the mapping of the array, from {@link JsonType#of}
   */
  public JsonWriter elements(JsonType<?> type, Object array) {
    ((ArrayType) type).elements(this, array);
    return this;
  }

  /** Appends {@code null}. */
  public JsonWriter nil() {
    return ascii("null");
  }

  /** Appends {@code true} or {@code false}. */
  public JsonWriter bool(boolean value) {
    return ascii(value ? "true" : "false");
  }

  /** Appends an integer. */
  public JsonWriter number(long value) {
    if (value == Long.MIN_VALUE) {
      return ascii("-9223372036854775808");
    }
    long rest = Math.abs(value);
    int digits = digits(rest);
    reserve(value < 0 ? digits + 1 : digits); // exactly: a number that fits must not be refused
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

  /** Returns the number of digits of a number, which must not be negative. */
  private static int digits(long value) {
    int guess = (64 - Long.numberOfLeadingZeros(value | 1)) * 1233 >> 12; // times log10(2)
    return guess + (value >= POWERS[guess] ? 1 : 0);
  }

  /**
   * Appends a number. An integral value has no fraction: {@code 19}, not {@code 19.0}.
   *
   * @throws IllegalArgumentException for NaN and the infinities, which JSON cannot express
   */
  public JsonWriter number(double value) {
    long integral = (long) value;
    if (integral == value && Math.abs(value) < 1e15 && !(value == 0 && 1 / value < 0)) {
      return number(integral);
    }
    requireFinite(value);
    double magnitude = Math.abs(value);
    if (magnitude >= 1e-3 && magnitude < 1e7) { // Double.toString writes these without an exponent
      long scaled = (long) (magnitude * FRACTION + 0.5);
      if ((double) scaled / FRACTION == magnitude) {
        return decimal(value < 0, (int) (scaled / FRACTION), (int) (scaled % FRACTION));
      }
    }
    return ascii(Double.toString(value));
  }

  /**
   * Appends a decimal with a fraction in units of {@code 1 / FRACTION}, without trailing zeros. If
   * the decimal is equal to a double, this is the shortest text of the double: two different
   * decimals of up to 15 digits are never the same double.
   */
  private JsonWriter decimal(boolean negative, int whole, int fraction) {
    if (negative) {
      put('-');
    }
    number(whole).put('.');
    for (int rest = fraction; rest != 0; rest = rest % (FRACTION / 10) * 10) {
      put('0' + rest / (FRACTION / 10));
    }
    return this;
  }

  /**
   * Appends a number with the digits of a {@code float}, such as {@code 0.1}.
   *
   * @throws IllegalArgumentException for NaN and the infinities, which JSON cannot express
   */
  public JsonWriter number(float value) {
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
  public JsonWriter number(BigInteger value) {
    return ascii(value.toString());
  }

  /** Appends a decimal with all its digits, trailing zeros included. */
  public JsonWriter number(BigDecimal value) {
    return ascii(value.toString());
  }

  /** Appends a string in quotes, with only the escapes that RFC 8259 section 7 requires. */
  public JsonWriter string(CharSequence text) {
    int length = text.length();
    reserve(length + 2);
    bytes[size++] = '"';
    for (int i = plain(text, 0); i < length; i = plain(text, i)) {
      i += escape(text, i, text.charAt(i)) + 1;
      reserve(length - i + 1);
    }
    return put('"');
  }

  /**
   * Writes the characters from {@code i} on that need no escape and are ASCII, for which there must
   * be room. Returns the index of the first other character.
   */
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

  /** Writes the character at {@code i}; returns 1 if it was a surrogate pair, otherwise 0. */
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

  /** Makes room for {@code more} bytes, so that writing them cannot fail halfway. */
  public void reserve(int more) {
    if (end - size < more) {
      grow(more);
    }
  }

  /** Returns the length of the array after {@link #reserve} of {@code more} bytes. */
  public int capacityFor(int more) {
    long wanted = (long) size + more;
    return wanted <= bytes.length
        ? bytes.length
        : (int) Math.min(limit, Math.max(wanted, bytes.length * 2L));
  }

  private void grow(int more) {
    if ((long) size + more > limit) {
      throw new LimitException("frameBytes", limit - limitedFrom);
    }
    bytes = Arrays.copyOf(bytes, capacityFor(more));
    end = Math.min(limit, bytes.length);
  }

  /** Returns the bytes written so far as text. */
  @Override
  public String toString() {
    return new String(bytes, 0, size, StandardCharsets.UTF_8);
  }
}
