package dev.repartee.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.internal.Names;
import dev.repartee.internal.Text;
import dev.repartee.limits.Limits;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * A JSON value, kept as its UTF-8 text. The text is valid JSON (RFC 8259). Immutable and
 * thread-safe.
 *
 * <p>The text is not parsed until a method asks for its content. A value that is passed on keeps
 * every digit and escape: {@code 12345678901234567890.10} is not rounded. {@link #as(Class)} binds
 * the value to a Java type; {@link #get}, {@link #at}, {@link #elements()} and {@link #members()}
 * return parts of it.
 *
 * <p>Each of these methods scans the text again: to read many members, call {@link #members()}
 * once. Two values are equal if their texts are equal byte for byte; {@link #isSameValue} compares
 * the values that the texts represent.
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

    private final String phrase;

    Kind(String phrase) {
      this.phrase = phrase;
    }

    /** Returns the name of this kind in an error message, such as {@code an object}. */
    public String phrase() {
      return phrase;
    }

    /** Returns the kind of the values that begin with this byte. */
    public static Kind of(byte first) {
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

  // The text is bytes[start, end). The array is often shared with an enclosing value, see slice.
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
   * Returns the JSON value in a text, without the white space around it.
   *
   * @throws JsonException if the text is not one JSON value (RFC 8259), or nests deeper than {@link
   *     Limits#DEPTH}
   */
  public static Json parse(String text) {
    return parse(text.getBytes(UTF_8));
  }

  /**
   * Returns the JSON value in a UTF-8 text, as {@link #parse(String)} does. The array is copied.
   *
   * @throws JsonException if the text is not one JSON value (RFC 8259), or nests deeper than {@link
   *     Limits#DEPTH}
   */
  public static Json parse(byte[] text) {
    new JsonScanner(Limits.DEPTH).text(text, 0, text.length);
    int from = JsonScanner.space(text, 0, text.length);
    int to = text.length;
    while (text[to - 1] <= ' ' && text[to - 1] >= 0) {
      to--;
    }
    return copy(text, from, to);
  }

  /**
   * Converts a Java value to JSON: {@code null}, booleans, numbers, strings, {@code Json}, arrays,
   * lists, maps, records, and the types that an installed {@link Binder} supports. A record becomes
   * an object; components that are empty optionals are left out.
   *
   * @throws IllegalArgumentException if neither core nor a binder can write the value
   */
  public static Json of(@Nullable Object value) {
    return JsonTypes.standard().toJson(value);
  }

  /**
   * Returns the JSON Schema of a Java type, valid in draft-07 and in 2020-12; {@code true} where
   * the schema is not known.
   *
   * @throws IllegalArgumentException if neither core nor a binder supports the type
   */
  public static Json schemaOf(Type type) {
    return JsonType.of(type).schema();
  }

  /** Reads any value. */
  static Json read(JsonReader c) {
    int from = c.at;
    return copy(c.bytes, from, c.skip());
  }

  /**
   * Copies {@code source[from, to)}, which must be one valid value without white space around it.
   */
  static Json copy(byte[] source, int from, int to) {
    return new Json(Arrays.copyOfRange(source, from, to));
  }

  /**
   * Returns {@code source[from, to)}, which must be one valid value, as a value that may share the
   * array. The array must not change afterwards. A value shorter than half of the array is copied:
   * a reachable value keeps at most twice its length in memory, and all values that are nested in
   * each other occupy at most the length of the text once more.
   */
  static Json slice(byte[] source, int from, int to) {
    return 2L * (to - from) < source.length ? copy(source, from, to) : new Json(source, from, to);
  }

  /** Wraps an array, which must be one valid value and must not change afterwards. */
  static Json wrap(byte[] valid) {
    return new Json(valid);
  }

  /** Returns the kind of this value. */
  public Kind kind() {
    return Kind.of(bytes[start]);
  }

  /** Returns whether this value is {@code null}. */
  public boolean isNull() {
    return bytes[start] == 'n';
  }

  /**
   * Converts this value to a Java type.
   *
   * @throws JsonException if the value does not fit the type; the message names the expected form
   * @throws IllegalArgumentException if neither core nor a binder supports the type
   */
  public <T> T as(Class<T> type) {
    return as((Type) type);
  }

  /**
   * Converts this value to a generic type, such as {@code List<String>}. The compiler does not
   * check that {@code T} is that type.
   *
   * @throws JsonException if the value does not fit the type; the message names the expected form
   * @throws IllegalArgumentException if neither core nor a binder supports the type
   */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  public <T> T as(Type type) {
    return (T) as(JsonType.of(type));
  }

  /**
   * Converts this value to a generic type.
   *
   * @throws JsonException if the value does not fit the type; the message names the expected form
   * @throws IllegalArgumentException if neither core nor a binder supports the type
   */
  public <T> T as(TypeToken<T> type) {
    return as(JsonType.of(type));
  }

  /**
   * Converts this value by a mapping that the caller keeps, such as the mapping of a generic type.
   *
   * @throws JsonException if the value does not fit the type; the message names the expected form
   */
  public <T extends @Nullable Object> T as(JsonType<T> type) {
    return type.read(bytes, start, end);
  }

  /**
   * Returns the value of the member with this name, the last value if the name occurs more than
   * once. Returns null if this is not an object, or has no such member.
   */
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

  /** Returns the characters of a string, or null if this value has another kind. */
  public @Nullable String string() {
    return kind() == Kind.STRING ? as(String.class) : null;
  }

  /**
   * Returns the characters of the string in the member with this name. Returns null if this is not
   * an object, has no such member, or the member is not a string.
   */
  public @Nullable String string(String name) {
    Json member = get(name);
    return member == null ? null : member.string();
  }

  /**
   * Returns the characters of a string, and the JSON text of a value of another kind. Messages for
   * people show values in this form.
   */
  public String text() {
    return kind() == Kind.STRING ? as(String.class) : toString();
  }

  /** Returns the element at this index, or null if this is not an array or is too short. */
  public @Nullable Json at(int index) {
    if (kind() != Kind.ARRAY || index < 0) {
      return null;
    }
    List<Json> elements = elements();
    return index < elements.size() ? elements.get(index) : null;
  }

  /** Returns the elements of an array in order, as a new list; empty for any other kind. */
  public List<Json> elements() {
    List<Json> elements = new ArrayList<>();
    new Elements(this).forEachRemaining(elements::add);
    return elements;
  }

  /**
   * Returns the members of an object in order, as a new map; empty for any other kind. If a name
   * occurs more than once, its last value counts.
   */
  public Map<String, Json> members() {
    Map<String, Json> members = new LinkedHashMap<>();
    forEachMember((nameFrom, nameTo, from, to) ->
        members.put(Text.content(bytes, nameFrom, nameTo), slice(bytes, from, to)));
    return members;
  }

  /** Receives the indices of a member's name, without its quotes, and of its value. */
  private interface Member {
    void at(int nameFrom, int nameTo, int from, int to);
  }

  private void forEachMember(Member member) {
    if (kind() == Kind.OBJECT) {
      for (int i = next(start); bytes[i] != '}'; i = next(i)) {
        int name = i + 1;
        int nameEnd = JsonScanner.skipString(bytes, i) - 1;
        int from = next(space(nameEnd + 1));
        int to = JsonScanner.skip(bytes, from);
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
    return JsonScanner.space(bytes, i, end);
  }

  /**
   * Returns an array of exactly the text, which must not be changed; a copy if the array is shared.
   */
  byte[] array() {
    return end - start == bytes.length ? bytes : Arrays.copyOfRange(bytes, start, end);
  }

  /**
   * Returns the array that holds the text from {@link #start} to {@link #end}; do not change it.
   */
  byte[] source() {
    return bytes;
  }

  int start() {
    return start;
  }

  int end() {
    return end;
  }

  /** Returns a copy of the text as UTF-8. */
  public byte[] toBytes() {
    return Arrays.copyOfRange(bytes, start, end);
  }

  /** Returns the length of the text in bytes. */
  public int length() {
    return end - start;
  }

  /**
   * Returns whether another text represents the same value: members may have another order, strings
   * other escapes, and numbers other digits ({@code 1.0} and {@code 1}). {@link JsonDifference} has
   * the rules.
   */
  public boolean isSameValue(Json other) {
    return JsonDifference.between(this, other) == null;
  }

  /** Returns whether the other object is a value with the same text, byte for byte. */
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

  /** Returns the text. */
  @Override
  public String toString() {
    return new String(bytes, start, end - start, UTF_8);
  }

  /** Iterates over the elements of an array. Creates each element when it is asked for. */
  static final class Elements implements Iterator<Json> {
    private final byte[] bytes;
    private final int end;

    /** The index of the next element; negative if there is none. */
    private int at;

    /** Begins before the first element; a value of another kind has none. */
    Elements(Json array) {
      this.bytes = array.source();
      this.end = array.end();
      this.at =
          array.kind() == Json.Kind.ARRAY ? JsonScanner.first(bytes, array.start(), end, ']') : -1;
    }

    @Override
    public boolean hasNext() {
      return at >= 0;
    }

    @Override
    public Json next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      int from = at;
      return Json.slice(bytes, from, skip());
    }

    /** Skips the next element; returns the index after it. */
    private int skip() {
      int to = JsonScanner.skip(bytes, at);
      at = JsonScanner.next(bytes, to, end, ']');
      return to;
    }

    /** Skips all elements that are left; returns their number. */
    int count() {
      int count = 0;
      for (; hasNext(); count++) {
        skip();
      }
      return count;
    }
  }
}
