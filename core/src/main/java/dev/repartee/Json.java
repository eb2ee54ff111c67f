package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One JSON value as the text it arrived in: valid by RFC 8259, UTF-8, owned, immutable.
 *
 * <p>Nothing is parsed until somebody asks, so a value passes through with every digit and escape it
 * had: {@code 12345678901234567890.10} stays that. {@link #as(Class)} binds it to a Java type;
 * {@link #get}, {@link #at}, {@link #elements()} and {@link #members()} look inside.
 *
 * <p>Looking inside goes over the text each time: a program that asks for many members takes {@link
 * #members()} once. Two values are equal when their texts are the same byte for byte.
 */
public final class Json {
  /** {@code null}. */
  public static final Json NULL = new Json("null".getBytes(UTF_8));

  /** {@code true}. */
  public static final Json TRUE = new Json("true".getBytes(UTF_8));

  /** {@code false}. */
  public static final Json FALSE = new Json("false".getBytes(UTF_8));

  /** {@code []}. */
  public static final Json EMPTY_ARRAY = new Json("[]".getBytes(UTF_8));

  /** {@code {}}. */
  public static final Json EMPTY_OBJECT = new Json("{}".getBytes(UTF_8));

  /** The kinds of JSON value. */
  public enum Kind {
    /** {@code {...}}. */
    OBJECT("an object"),
    /** {@code [...]}. */
    ARRAY("an array"),
    /** {@code "..."}. */
    STRING("a string"),
    /** A number. */
    NUMBER("a number"),
    /** {@code true} or {@code false}. */
    BOOLEAN("a boolean"),
    /** {@code null}. */
    NULL("null");

    /** How a sentence calls it. */
    final String phrase;

    Kind(String phrase) {
      this.phrase = phrase;
    }

    static Kind of(byte first) {
      return switch (first) {
        case '{' -> OBJECT;
        case '[' -> ARRAY;
        case '"' -> STRING;
        case 't', 'f' -> BOOLEAN;
        case 'n' -> NULL;
        default -> NUMBER;
      };
    }
  }

  // The text is bytes[start, end): often a part of the text that it was found in, see slice.
  private final byte[] bytes;
  private final int start;
  private final int end;

  private Json(byte[] bytes) {
    this(bytes, 0, bytes.length);
  }

  private Json(byte[] bytes, int start, int end) {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
  }

  /**
   * Validates a text; white space around the value is dropped.
   *
   * @throws JsonException if it is not one JSON value (RFC 8259), or nests deeper than {@link
   *     Limits#DEPTH}
   */
  public static Json parse(String text) {
    return parse(text.getBytes(UTF_8));
  }

  /** Validates a UTF-8 text as {@link #parse(String)} does; the array is not kept. */
  public static Json parse(byte[] text) {
    new Scanner(Limits.DEPTH).text(text, 0, text.length);
    int from = Scanner.space(text, 0, text.length);
    int to = text.length;
    while (text[to - 1] <= ' ' && text[to - 1] >= 0) {
      to--;
    }
    return copy(text, from, to);
  }

  /**
   * The JSON form of a Java value: {@code null}, booleans, numbers, strings, {@code Json}, arrays,
   * lists, maps, records, and whatever the installed {@link Binder} knows. A record becomes an object
   * without those of its components that are empty optionals.
   *
   * @throws IllegalArgumentException for a value that nothing knows how to write
   */
  public static Json of(@Nullable Object value) {
    if (value instanceof Json json) {
      return json;
    }
    Output out = new Output();
    Types.write(out, value);
    return new Json(out.toBytes());
  }

  /**
   * The JSON Schema (draft-07, and 2020-12 as well) of a Java type, as far as it is known.
   *
   * @throws IllegalArgumentException if nothing knows how to bind that type
   */
  public static Json schemaOf(Type type) {
    return Types.of(type).schema();
  }

  /** Reads any value. */
  static Json read(Cursor c) {
    int from = c.at;
    return copy(c.bytes, from, c.skip());
  }

  /** Copies a slice that is known to be one valid value without white space around it. */
  static Json copy(byte[] source, int from, int to) {
    return new Json(Arrays.copyOfRange(source, from, to));
  }

  /**
   * Takes a slice, known to be one valid value, of an array that nobody will change. A value of less than
   * half of the array is copied: so a value that is kept keeps no more than twice its length, and the
   * values found one inside the other in a text take no more than the text once again.
   */
  static Json slice(byte[] source, int from, int to) {
    return 2L * (to - from) < source.length ? copy(source, from, to) : new Json(source, from, to);
  }

  /** Wraps bytes that are known to be one valid value and that nobody else will change. */
  static Json wrap(byte[] valid) {
    return new Json(valid);
  }

  /** The kind of value. */
  public Kind kind() {
    return Kind.of(bytes[start]);
  }

  /** Whether this is {@code null}. */
  public boolean isNull() {
    return bytes[start] == 'n';
  }

  /**
   * This value as a Java type.
   *
   * @throws JsonException if it does not fit; the message says what was expected
   * @throws IllegalArgumentException if nothing knows how to bind that type
   */
  public <T> T as(Class<T> type) {
    return as((Type) type);
  }

  /** This value as a generic type, such as {@code List<String>}; unchecked, as all reflection is. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  public <T> T as(Type type) {
    return (T) Types.of(type).read(bytes, start, end);
  }

  /** The member of that name, the last one where it stands twice; null if this has none. */
  public @Nullable Json get(String name) {
    Names wanted = new Names(List.of(name));
    int[] found = new int[2];
    forEachMember((nameFrom, nameTo, from, to) -> {
      if (wanted.find(bytes, nameFrom, nameTo, 0) == 0) {
        found[0] = from;
        found[1] = to;
      }
    });
    return found[1] == 0 ? null : slice(bytes, found[0], found[1]);
  }

  /** The element at that index, or null if this is no array or a shorter one. */
  public @Nullable Json at(int index) {
    if (kind() != Kind.ARRAY || index < 0) {
      return null;
    }
    List<Json> elements = elements();
    return index < elements.size() ? elements.get(index) : null;
  }

  /** The elements of an array, in order; empty for any other kind. A new list each time. */
  public List<Json> elements() {
    List<Json> elements = new ArrayList<>();
    if (kind() == Kind.ARRAY) {
      for (int i = next(start); bytes[i] != ']'; i = next(i)) {
        int to = Scanner.skip(bytes, i);
        elements.add(slice(bytes, i, to));
        i = space(to);
        if (bytes[i] == ']') {
          break;
        }
      }
    }
    return elements;
  }

  /**
   * The members of an object, in order; empty for any other kind. Of a name that stands twice the last
   * value counts. A new map each time.
   */
  public Map<String, Json> members() {
    Map<String, Json> members = new LinkedHashMap<>();
    forEachMember((nameFrom, nameTo, from, to) ->
        members.put(Text.content(bytes, nameFrom, nameTo), slice(bytes, from, to)));
    return members;
  }

  /** Who is shown the members of an object: the places of the name, without quotes, and of the value. */
  private interface Member {
    void at(int nameFrom, int nameTo, int from, int to);
  }

  private void forEachMember(Member member) {
    if (kind() == Kind.OBJECT) {
      for (int i = next(start); bytes[i] != '}'; i = next(i)) {
        int name = i + 1;
        int nameEnd = Scanner.skipString(bytes, i) - 1;
        int from = next(space(nameEnd + 1));
        int to = Scanner.skip(bytes, from);
        member.at(name, nameEnd, from, to);
        i = space(to);
        if (bytes[i] == '}') {
          break;
        }
      }
    }
  }

  private int next(int i) {
    return space(i + 1);
  }

  private int space(int i) {
    return Scanner.space(bytes, i, end);
  }

  /** The bytes of the text alone, for this package only: nobody may change them. Copies a slice. */
  byte[] array() {
    return end - start == bytes.length ? bytes : Arrays.copyOfRange(bytes, start, end);
  }

  /** The array in which the text stands, from {@link #start} to {@link #end}; nobody may change it. */
  byte[] source() {
    return bytes;
  }

  int start() {
    return start;
  }

  int end() {
    return end;
  }

  /** A copy of the text as UTF-8. */
  public byte[] toBytes() {
    return Arrays.copyOfRange(bytes, start, end);
  }

  /** The length of the text in bytes. */
  public int length() {
    return end - start;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Json json
        && Arrays.equals(bytes, start, end, json.bytes, json.start, json.end);
  }

  @Override
  public int hashCode() {
    int hash = 1;
    for (int i = start; i < end; i++) {
      hash = 31 * hash + bytes[i];
    }
    return hash;
  }

  /** The text. */
  @Override
  public String toString() {
    return new String(bytes, start, end - start, UTF_8);
  }
}
