package dev.repartee.envelopes;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonScanner;
import dev.repartee.json.JsonWriter;
import dev.repartee.json.UnsafeJson;
import dev.repartee.message.ParsedFrame;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The members of the object that is a message, or of one inside it. One pass validates the JSON and
 * finds the members with the given names; a member is identified by its index in that list.
 */
final class Members {
  private final byte[] bytes;
  private final List<String> names;
  private final JsonScanner scanner;

  /** For each member the start and the end of its value; both 0 if it is missing. */
  private final int[] spans;

  private final boolean[] escaped;
  private int start;
  private int end;
  private @Nullable String flaw;

  private Members(byte[] bytes, List<String> names, JsonScanner scanner) {
    this.bytes = bytes;
    this.names = names;
    this.scanner = scanner;
    this.spans = new int[2 * names.size()];
    this.escaped = new boolean[names.size()];
  }

  /**
   * Reads the frame {@code b[from, to)}. Adds a message to {@code into} that is invalid so far.
   *
   * @throws JsonException if the frame is not one JSON value within the depth limit
   */
  static Members of(byte[] b, int from, int to, ParsedFrame into, List<String> names) {
    into.reset(b, false);
    into.add(ParsedFrame.INVALID);
    return in(b, from, to, into.scanner(), names);
  }

  /**
   * Reads the value {@code b[from, to)}, which must be an object.
   *
   * @throws JsonException if the text is not one JSON value within the depth limit
   */
  static Members in(byte[] b, int from, int to, JsonScanner scanner, List<String> names) {
    Members members = new Members(b, names, scanner);
    members.read(from, to);
    return members;
  }

  /** Reads the object in a member. */
  Members inside(int member, List<String> names) {
    return in(bytes, from(member), to(member), scanner, names);
  }

  private void read(int from, int to) {
    start = JsonScanner.start(bytes, from, to);
    if (start == to) {
      throw new JsonException("the text is empty", start);
    }
    if (bytes[start] == '{') {
      end = object(start, to);
    } else {
      end = scanner.value(bytes, start, to, 0);
      flaw = "the message is " + Json.Kind.of(bytes[start]).phrase() + ", but has to be an object";
    }
    int rest = JsonScanner.space(bytes, end, to);
    if (rest != to) {
      throw new JsonException("text after the message", rest);
    }
  }

  private int object(int from, int to) {
    scanner.enter(1, from);
    int i = JsonScanner.first(bytes, from, to, '}');
    while (i >= 0) {
      int name = JsonScanner.quote(bytes, i, to);
      int behind = scanner.string(bytes, name, to);
      int member = names.indexOf(text(name - 1, behind, scanner.hasEscape()));
      int value = JsonScanner.colon(bytes, behind, to);
      int next = scanner.value(bytes, value, to, 1);
      if (member >= 0) {
        if (has(member)) {
          flaw = named(member) + " occurs twice";
        }
        spans[2 * member] = value;
        spans[2 * member + 1] = next;
        escaped[member] = scanner.hasEscape(); // of its last string: right for a string
      }
      i = JsonScanner.next(bytes, next, to, '}');
    }
    return ~i;
  }

  /** Returns the defect that makes the message invalid regardless of its members; null if none. */
  @Nullable String flaw() {
    return flaw;
  }

  /** Returns the index of the first byte of the object. */
  int start() {
    return start;
  }

  /** Returns the index after the last byte of the object. */
  int end() {
    return end;
  }

  boolean has(int member) {
    return to(member) > 0;
  }

  /** Returns the index where the value of a member starts. */
  int from(int member) {
    return spans[2 * member];
  }

  /** Returns the index after the value of a member. */
  int to(int member) {
    return spans[2 * member + 1];
  }

  /** Returns whether a member is present with a value of this kind. */
  boolean is(int member, Json.Kind kind) {
    return has(member) && Json.Kind.of(bytes[from(member)]) == kind;
  }

  /** Returns whether a member is present with a value other than null. */
  boolean hasValue(int member) {
    return has(member) && !is(member, Json.Kind.NULL);
  }

  /** Returns whether a member is present with this literal, such as {@code true}. */
  boolean isLiteral(int member, String literal) {
    byte[] text = literal.getBytes(UTF_8);
    return Arrays.equals(bytes, from(member), to(member), text, 0, text.length);
  }

  /**
   * Returns whether a member is a non-negative integer of at most 18 digits, without a fraction.
   */
  boolean isNumber(int member) {
    return isNumber(member, 18);
  }

  /** Returns whether a member is a non-negative integer with at most this number of digits. */
  boolean isNumber(int member, int digits) {
    int from = from(member);
    int length = to(member) - from;
    for (int i = from; i < to(member); i++) {
      if (bytes[i] < '0' || bytes[i] > '9') {
        return false;
      }
    }
    return length > 0 && length <= digits;
  }

  /** Returns whether the string in a member contains an escape. */
  boolean isEscaped(int member) {
    return escaped[member];
  }

  /** Returns the string in a member. */
  String text(int member) {
    return text(from(member), to(member), escaped[member]);
  }

  /** Writes the object without some of its members. */
  void writeWithout(JsonWriter out, int... left) {
    out.put('{');
    int empty = out.size();
    int i = JsonScanner.first(bytes, start, end, '}');
    while (i >= 0) {
      int behind = JsonScanner.skipString(bytes, i);
      int value = JsonScanner.colon(bytes, behind, end);
      int next = JsonScanner.skip(bytes, value);
      if (!isOneOf(value, left)) {
        if (out.size() > empty) {
          out.put(',');
        }
        out.raw(bytes, i, next);
      }
      i = JsonScanner.next(bytes, next, end, '}');
    }
    out.put('}');
  }

  /** Returns whether the value of one of these members starts at that index. */
  private boolean isOneOf(int value, int[] members) {
    for (int member : members) {
      if (has(member) && from(member) == value) {
        return true;
      }
    }
    return false;
  }

  /** Returns the value of a member. */
  Json json(int member) {
    return UnsafeJson.copy(bytes, from(member), to(member));
  }

  private String text(int from, int to, boolean hasEscape) {
    return hasEscape
        ? UnsafeJson.copy(bytes, from, to).as(String.class)
        : new String(bytes, from + 1, to - from - 2, UTF_8);
  }

  /**
   * Returns the sentence that a member must have another value.
   *
   * @param expected the value, as in "a string"
   */
  String unfit(int member, String expected) {
    String is = has(member) ? Json.Kind.of(bytes[from(member)]).phrase() : "missing";
    return named(member) + " is " + is + ", but has to be " + expected;
  }

  private String named(int member) {
    return "the member '" + names.get(member) + "'";
  }
}
