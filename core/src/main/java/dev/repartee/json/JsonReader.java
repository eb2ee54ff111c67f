package dev.repartee.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.internal.Bytes;
import dev.repartee.internal.Names;
import dev.repartee.internal.Text;
import dev.repartee.internal.TextBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads Java values from valid JSON text, without a tree: a position that moves from value to
 * value. The counterpart of {@link JsonWriter}, for your own mappings and codecs.
 *
 * <p>The text must be valid, since the methods check no bounds inside of a value, and must not
 * change while it is read. Not thread-safe. Reusable: see {@link #move}.
 */
public final class JsonReader {
  /** The initial capacity of a nested list. */
  private static final int SEVERAL = 10;

  /** The maximum number of elements for which capacity is reserved before they are read. */
  private static final int MANY = 250;

  byte[] bytes;
  int at;
  int to;
  private @Nullable ComponentBuffer slots;
  private @Nullable TextBuffer text;
  private boolean guessed;

  /** The end of the part that looks ahead have skipped. */
  private int seen;

  private @Nullable Ends ends;
  private UnknownMembers unknown = UnknownMembers.REFUSE;

  /** Creates a reader of the values in {@code bytes[at, to)}, at the first of them. */
  public JsonReader(byte[] bytes, int at, int to) {
    this.bytes = bytes;
    this.at = at;
    this.to = to;
  }

  /** Sets the treatment of unknown members; by default they are refused. */
  public JsonReader unknown(UnknownMembers unknown) {
    this.unknown = unknown;
    return this;
  }

  /** Returns the treatment of unknown members. */
  public UnknownMembers unknown() {
    return unknown;
  }

  /** Moves to another text and drops the buffers of the last reading. */
  public JsonReader move(byte[] bytes, int at, int to) {
    this.bytes = bytes;
    this.at = at;
    this.to = to;
    this.slots = null;
    this.text = null;
    this.guessed = false;
    this.seen = 0;
    this.ends = null;
    return this;
  }

  /** Returns the buffer for the component values of records that are not constructed yet. */
  ComponentBuffer slots() {
    ComponentBuffer own = slots;
    if (own == null) {
      own = new ComponentBuffer();
      slots = own;
    }
    return own;
  }

  /** Skips a value of any kind and returns the index after it. */
  public int skip() {
    int end = ends == null ? -1 : ends.find(at);
    at = end >= 0 ? end : Math.min(JsonScanner.skip(bytes, at), to);
    return at;
  }

  /**
   * Begins a look ahead at the value at this position; {@link #looked} ends it. Looks at values
   * inside of values that a look has skipped would scan the same bytes again, once for each level.
   * Therefore the first of them finds the ends of all values in that part.
   */
  void look() {
    if (seen - at > Ends.SHORT && (ends == null || at >= ends.limit)) {
      ends = new Ends(bytes, at, seen);
    }
  }

  /** Ends a look ahead at the current position, and returns to the value that begins at {@code start}. */
  void looked(int start) {
    seen = Math.max(seen, at);
    at = start;
  }

  /** Skips a value of any kind and returns null. */
  <T> @Nullable T nothing() {
    skip();
    return null;
  }

  /** Returns whether a number ends before index {@code i}. */
  boolean endsAt(int i) {
    return i == to || !JsonScanner.isScalarByte(bytes[i]);
  }

  /** Returns the index of the value in the text. */
  public int position() {
    return at;
  }

  /** Returns to the value at this index, after a look ahead. */
  public void position(int index) {
    at = index;
  }

  /** Returns the kind of the value. */
  public Json.Kind kind() {
    return Json.Kind.of(bytes[at]);
  }

  /** Returns whether the value is {@code null}, and skips it if so. */
  public boolean isNull() {
    boolean isNull = bytes[at] == 'n';
    if (isNull) {
      at += 4;
    }
    return isNull;
  }

  /**
   * Enters an array; {@link #more} moves to its elements.
   *
   * @throws JsonException if the value is not an array
   */
  public void enterArray() {
    enter('[', "an array");
  }

  /**
   * Enters an object with names that are not known before; {@link #more} moves to its members, and
   * {@link #readName} to their values. {@link MemberNames} reads an object with known names.
   *
   * @throws JsonException if the value is not an object
   */
  public void enterObject() {
    enter('{', "an object");
  }

  /** Moves past the opening bracket of an array or object. */
  void enter(char bracket, String expected) {
    if (bytes[at] != bracket) {
      throw JsonException.expected(expected, bytes, at);
    }
    at++;
  }

  /**
   * Moves to the next element or member and returns true; if there is none, moves past the
   * closing bracket and returns false.
   */
  public boolean more() {
    at = space(at);
    byte c = bytes[at];
    if (c == ']' || c == '}') {
      at++;
      return false;
    }
    if (c == ',') {
      at = space(at + 1);
    }
    return true;
  }

  /**
   * Returns the capacity to reserve for an array after its first element was read. That element
   * began at {@code first}. Only one array of each reading is estimated by the length of the
   * remaining text. Nested arrays get a fixed capacity, and sizes of earlier messages are not used:
   * otherwise a few bytes of input could reserve much memory at each level.
   */
  int room(int first) {
    if (atEnd()) {
      return 1;
    }
    int room = guessed ? SEVERAL : Math.min(MANY, (to - at) / (at - first + 1) + 1);
    guessed = true;
    return room;
  }

  /** Returns whether the closing bracket comes next, so that {@link #more} will return false. */
  boolean atEnd() {
    at = space(at);
    return bytes[at] == ']' || bytes[at] == '}';
  }

  /** Reads the name of a member and moves to its value. */
  public String readName() {
    int from = at + 1;
    return Text.content(bytes, from, name());
  }

  /** Moves past a member's name and colon; returns the index of the name's closing quote. */
  int name() {
    int end = JsonScanner.skipString(bytes, at);
    at = JsonScanner.colon(bytes, end, to);
    return end - 1;
  }

  /** Reads a value and moves past it. */
  public <T extends @Nullable Object> T value(JsonType<T> type) {
    if (type instanceof StreamingType<T> own) {
      return own.read(this);
    }
    int from = at;
    return type.read(bytes, from, skip(), unknown);
  }

  /**
   * Reads an array, or the rest of one from a comma on, as a Java array, and moves past the closing
   * bracket. This reads the remaining positional params like an array.
   *
   * @param type the mapping of the Java array, from {@link JsonType#of}
   * @throws IllegalArgumentException if a {@link Binder} made the mapping
   */
  public Object rest(JsonType<?> type) {
    if (!(type instanceof ArrayType array)) {
      throw new IllegalArgumentException(
          "a binder replaces the type of the array, so its elements are not read one by one");
    }
    enter(bytes[at] == ',' ? ',' : '[', "an array");
    return array.elements(this);
  }

  /**
   * Reads a boolean and moves past it.
   *
   * @throws JsonException if the value is not a boolean
   */
  public boolean readBoolean() {
    return Scalars.readBoolean(this);
  }

  /**
   * Reads an integer from -128 to 127 and moves past it.
   *
   * @throws JsonException if the value is not a byte
   */
  public byte readByte() {
    return Scalars.readByte(this);
  }

  /**
   * Reads an integer of 16 bits and moves past it.
   *
   * @throws JsonException if the value is not a short
   */
  public short readShort() {
    return Scalars.readShort(this);
  }

  /**
   * Reads a string of one character and moves past it.
   *
   * @throws JsonException if the value is not a char
   */
  public char readChar() {
    return Scalars.readChar(this);
  }

  /**
   * Reads an integer of 32 bits and moves past it.
   *
   * @throws JsonException if the value is not an int
   */
  public int readInt() {
    return Scalars.readInt(this);
  }

  /**
   * Reads an integer from {@code min} to {@code max} and moves past it.
   *
   * @throws JsonException if the value is not such an integer; the message names the range
   */
  public int readInt(int min, int max) {
    return Scalars.readInt(this, min, max);
  }

  /**
   * Reads an integer of 64 bits and moves past it.
   *
   * @throws JsonException if the value is not a long
   */
  public long readLong() {
    return Scalars.readLong(this);
  }

  /**
   * Reads a number and moves past it.
   *
   * @throws JsonException if the value is not a float
   */
  public float readFloat() {
    return Scalars.readFloat(this);
  }

  /**
   * Reads a number and moves past it.
   *
   * @throws JsonException if the value is not a double
   */
  public double readDouble() {
    return Scalars.readDouble(this);
  }

  /**
   * Reads a string and moves past it.
   *
   * @throws JsonException if the value is not a string
   */
  public String readString() {
    int from = at + 1;
    if (bytes[at] != '"') {
      throw JsonException.expected("a string", bytes, at);
    }
    int end = Bytes.find(bytes, from, to, '"', '\\');
    if (bytes[end] == '"') { // without an escape the bytes are the text, in UTF-8
      at = end + 1;
      return new String(bytes, from, end - from, UTF_8);
    }
    TextBuffer buffer = text;
    if (buffer == null) {
      buffer = new TextBuffer();
      text = buffer;
    }
    String value = buffer.decode(bytes, from, to);
    at = buffer.end() + 1;
    return value;
  }

  /** Reads an element of an array; a failure names its index. */
  <T extends @Nullable Object> T element(JsonType<T> type, int index) {
    try {
      return value(type);
    } catch (JsonException e) {
      throw e.in("element " + index);
    }
  }

  /** Reads the value of a member; a failure names the member. */
  <T extends @Nullable Object> T member(JsonType<T> type, String name) {
    try {
      return value(type);
    } catch (JsonException e) {
      throw e.in("member " + Names.quote(name));
    }
  }

  private int space(int i) {
    return JsonScanner.space(bytes, i, to);
  }

  /**
   * The ends of the objects and arrays in a part of a text, except of short ones. One pass finds
   * them.
   */
  private static final class Ends {
    /** The length in bytes up to which skipping a value costs less than finding its end here. */
    static final int SHORT = 64;

    /** The end of the part. */
    final int limit;

    /** The positions of the opening brackets, ascending. */
    private int[] from = new int[16];

    /** The positions after the closing brackets; 0 if it is outside of the part. */
    private int[] to = new int[16];

    private int count;

    Ends(byte[] b, int start, int limit) {
      this.limit = limit;
      int[] open = new int[16];
      int depth = 0;
      int i = start;
      while (i < limit) {
        switch (b[i]) {
          case '"' -> i = JsonScanner.skipString(b, i);
          case '{', '[' -> {
            open = depth == open.length ? Arrays.copyOf(open, 2 * depth) : open;
            open[depth++] = count;
            add(i++);
          }
          case '}', ']' -> {
            i++;
            if (depth > 0) { // otherwise it was opened before this part
              close(open[--depth], i);
            }
          }
          default -> i++;
        }
      }
    }

    private void add(int start) {
      if (count == from.length) {
        from = Arrays.copyOf(from, 2 * count);
        to = Arrays.copyOf(to, 2 * count);
      }
      to[count] = 0;
      from[count++] = start;
    }

    private void close(int index, int end) {
      if (end - from[index] <= SHORT) {
        count = index; // the values inside are shorter, and were removed before
      } else {
        to[index] = end;
      }
    }

    /** Returns the end of the value that begins at this position; -1 if it is not known. */
    int find(int start) {
      int index = Arrays.binarySearch(from, 0, count, start);
      return index < 0 || to[index] == 0 ? -1 : to[index];
    }
  }
}
