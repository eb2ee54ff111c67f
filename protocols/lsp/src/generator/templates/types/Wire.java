package dev.repartee.generator.template.types;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonReader;
import dev.repartee.json.JsonType;
import dev.repartee.json.JsonWriter;
import dev.repartee.json.MemberNames;
import dev.repartee.json.UnknownMembers;
import org.jspecify.annotations.Nullable;

/** Helps the generated types to read themselves. */
final class Wire {
  private static final JsonType<Json> ANY = JsonType.of(Json.class);
  private static final int LONGEST_QUOTE = 60;

  /** The maximum number of members that an error message names. */
  private static final int MOST_NAMES = 8;

  private Wire() {}

  /** Reads any value. */
  static Json json(JsonReader in) {
    return in.value(ANY);
  }

  /** Reads a string or null. */
  static @Nullable String text(JsonReader in) {
    return in.isNull() ? null : in.readString();
  }

  /** Writes a string or null. */
  static void text(JsonWriter out, @Nullable String text) {
    if (text == null) {
      out.nil();
    } else {
      out.string(text);
    }
  }

  /**
   * Reads the constant that marks a type.
   *
   * @throws JsonException if the value is another one
   */
  static void literal(JsonReader in, String constant) {
    if (in.kind() != Json.Kind.STRING || !in.readString().equals(constant)) {
      throw new JsonException("expected \"" + constant + "\"", null);
    }
  }

  /** Returns the exception for a value of a kind that no variant of a union has. */
  static JsonException unexpected(JsonReader in, String expected) {
    return new JsonException("expected " + expected + ", got " + in.kind().phrase(), null);
  }

  /**
   * Returns the exception for an object, at the reader's position, that is no variant of a union.
   *
   * @param expected the variants with their required members
   */
  static JsonException noVariant(JsonReader in, String expected) {
    StringBuilder found = new StringBuilder();
    int members = 0;
    in.enterObject();
    for (; in.more(); members++) {
      String name = in.readName();
      if (members < MOST_NAMES) {
        found.append(members == 0 ? " with " : ", ").append(quote(name));
      } else if (members == MOST_NAMES) {
        found.append(", ...");
      }
      if (name.equals("kind") && in.kind() == Json.Kind.STRING) {
        String kind = in.readString();
        found.append(members < MOST_NAMES ? " " + quote(kind) : "");
      } else {
        in.skip();
      }
    }
    return new JsonException(
        "expected one of " + expected + ", got an object"
            + (members == 0 ? " without members" : found),
        null);
  }

  /** Returns whether the object at the reader's position has these members. */
  static boolean hasAll(JsonReader in, String... members) {
    return look(MemberNames.of(UnknownMembers.IGNORE, members), "*".repeat(members.length), in)
        == (1L << members.length) - 1;
  }

  /** Returns the exception for a name that an object has twice. */
  static JsonException twice(String name) {
    return new JsonException("member " + quote(name) + " occurs twice", null);
  }

  /**
   * Returns a name for an error message: in quotes, and shortened, since the peer has chosen it.
   */
  static String quote(String name) {
    return name.length() <= LONGEST_QUOTE
        ? "'" + name + "'"
        : "'" + name.substring(0, LONGEST_QUOTE) + "...'";
  }

  /**
   * Looks which members the object at the reader's position has, until all were found. The reader
   * does not move.
   *
   * @param kinds the first letter of the kind that the value of each member has, or an asterisk;
   *     {@code s} for a string, {@code n} number, {@code b} boolean, {@code a} array, {@code o}
   *     object
   * @return one bit for each member with a value of that kind
   */
  static long look(MemberNames names, String kinds, JsonReader in) {
    int start = in.position();
    long has = 0;
    long all = (1L << kinds.length()) - 1;
    for (int i = names.first(in); i >= 0; i = names.next(in, i)) {
      char kind = kinds.charAt(i);
      if (kind == '*' || kind == letter(in.kind())) {
        has |= 1L << i;
        if (has == all) {
          break;
        }
      }
      in.skip();
    }
    in.position(start);
    return has;
  }

  private static char letter(Json.Kind kind) {
    return switch (kind) {
      case STRING -> 's';
      case NUMBER -> 'n';
      case BOOLEAN -> 'b';
      case ARRAY -> 'a';
      case OBJECT -> 'o';
      case NULL -> '0';
    };
  }

  /**
   * Returns the text of the only member in a table, of the object at the reader's position; an empty
   * string if there is none.
   */
  static String tag(JsonReader in, MemberNames member) {
    int start = in.position();
    boolean found = member.first(in) == 0 && in.kind() == Json.Kind.STRING;
    String tag = found ? in.readString() : "";
    in.position(start);
    return tag;
  }

  /** Returns whether the first element of the array at the reader's position has these members. */
  static boolean firstHas(JsonReader in, String... members) {
    int start = in.position();
    in.enterArray();
    boolean has = in.more() && in.kind() == Json.Kind.OBJECT && hasAll(in, members);
    in.position(start);
    return has;
  }
}
