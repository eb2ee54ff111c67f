package dev.repartee.a2a.wire;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonMembers;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads the members of a JSON object in ProtoJSON. A member with the value {@code null} counts as
 * missing. Failures are {@link FieldException}s.
 */
final class Members extends JsonMembers {
  /** Whether a missing required member is an error; otherwise it has its default value. */
  private final boolean strict;

  private Members(String path, Map<String, Json> members, boolean strict) {
    super(path, members);
    this.strict = strict;
  }

  /**
   * Returns the members of an object; empty for null.
   *
   * @param path the name of the object in errors; empty for the params
   * @param strict whether a missing required member is an error
   */
  static Members of(String path, @Nullable Json value, boolean strict) {
    if (value == null || value.isNull()) {
      return new Members(path, Map.of(), strict);
    }
    if (value.kind() != Json.Kind.OBJECT) {
      throw new FieldException(path.isEmpty() ? "params" : path, "has to be an object");
    }
    Map<String, Json> members = value.members();
    members.values().removeIf(Json::isNull);
    return new Members(path, members, strict);
  }

  @Override
  protected FieldException unfit(String path, String expected, @Nullable Json value) {
    return new FieldException(path, value == null ? "is missing" : "has to be " + expected);
  }

  /** Returns the exception for a member with this fault. */
  FieldException invalid(String name, String fault) {
    return new FieldException(path(name), fault);
  }

  FieldException missing(String name) {
    return unfit(path(name), "", null);
  }

  /** Finds a member by its name, or by the name of the field in {@code a2a.proto} (ProtoJSON). */
  @Override
  public @Nullable Json get(String name) {
    Json value = super.get(name);
    return value == null && !members().isEmpty() ? super.get(fieldName(name)) : value;
  }

  /** Converts a name from camel case to lower case with underscores. */
  private static String fieldName(String name) {
    StringBuilder field = new StringBuilder();
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c >= 'A' && c <= 'Z') {
        field.append('_').append((char) (c + ('a' - 'A')));
      } else {
        field.append(c);
      }
    }
    return field.toString();
  }

  /**
   * Returns a required string. For a strict reader it must not be empty; for other readers a missing
   * string is empty.
   */
  @Override
  public String string(String name) {
    String value = optionalString(name);
    if (strict && (value == null || value.isEmpty())) {
      throw value == null
          ? missing(name)
          : invalid(name, "has to be a string with at least one character");
    }
    return value == null ? "" : value;
  }

  /**
   * Returns a string. Returns null if it is missing or empty, because ProtoJSON does not
   * distinguish them.
   */
  @Nullable String given(String name) {
    String value = optionalString(name);
    return value == null || value.isEmpty() ? null : value;
  }

  @Nullable Boolean optionalFlag(String name) {
    Json value = get(name, Json.Kind.BOOLEAN);
    return value == null ? null : value.equals(Json.TRUE);
  }

  /** Returns an integer of 0 or more; null if it is missing. */
  @Nullable Integer count(String name) {
    Json value = get(name, Json.Kind.NUMBER);
    if (value == null) {
      return null;
    }
    try {
      int number = value.as(int.class);
      if (number < 0) {
        throw invalid(name, "must not be negative");
      }
      return number;
    } catch (JsonException e) {
      throw invalid(name, "has to be an integer");
    }
  }

  /** Returns an integer of 0 or more; 0 if it is missing. */
  int number(String name) {
    Integer count = count(name);
    return count == null ? 0 : count;
  }

  /**
   * Returns a time, or null if it is missing. A time of another form than the protocol's is an
   * error for a strict reader; other readers ignore it.
   */
  @Nullable Instant time(String name) {
    String text = given(name);
    try {
      return text == null ? null : Times.parse(text);
    } catch (DateTimeException e) {
      if (strict) {
        throw invalid(name, "has to be a time such as 2025-10-28T10:30:00.000Z");
      }
      return null;
    }
  }

  /** Returns the bytes of a string in Base64 with either alphabet, as ProtoJSON requires. */
  byte[] bytes(String name) {
    String text = optionalString(name);
    try {
      return Base64.getDecoder()
          .decode((text == null ? "" : text).replace('-', '+').replace('_', '/'));
    } catch (IllegalArgumentException e) {
      throw invalid(name, "has to be a string in Base64");
    }
  }

  /** Returns an object as it was sent; null if it is missing. */
  @Nullable Json object(String name) {
    return get(name, Json.Kind.OBJECT);
  }

  /** Reads an object; null if it is missing. */
  <T> @Nullable T optional(String name, Function<Members, T> reader) {
    Json value = object(name);
    return value == null ? null : reader.apply(of(path(name), value, strict));
  }

  /** Reads a required object. */
  <T> T required(String name, Function<Members, T> reader) {
    if (strict && !has(name)) {
      throw missing(name);
    }
    return orEmpty(name, reader);
  }

  /** Reads an object. A missing object is read as an empty object. */
  <T> T orEmpty(String name, Function<Members, T> reader) {
    return reader.apply(of(path(name), object(name), strict));
  }

  /** Reads an array of objects; empty if it is missing. */
  <T> List<T> list(String name, Function<Members, T> reader) {
    List<T> list = new ArrayList<>();
    for (Json element : elements(name)) {
      list.add(reader.apply(of(path(name) + "[" + list.size() + "]", element, strict)));
    }
    return list;
  }

  /** Reads an array of objects. For a strict reader it must not be empty. */
  <T> List<T> requiredList(String name, Function<Members, T> reader) {
    List<T> list = list(name, reader);
    if (strict && list.isEmpty()) {
      throw invalid(name, "needs at least one " + name.substring(0, name.length() - 1));
    }
    return list;
  }

  private List<Json> elements(String name) {
    Json value = get(name, Json.Kind.ARRAY);
    return value == null ? List.of() : value.elements();
  }

  /** Reads an object with objects as values. Omits the values that the reader maps to null. */
  <T> Map<String, T> map(String name, Function<Members, @Nullable T> reader) {
    Map<String, T> map = new LinkedHashMap<>();
    Json value = object(name);
    if (value != null) {
      value.members().forEach((key, each) -> {
        T read = reader.apply(of(path(name) + "." + key, each, strict));
        if (read != null) {
          map.put(key, read);
        }
      });
    }
    return map;
  }

  /** Reads an object with strings as values; empty if it is missing. */
  Map<String, String> texts(String name) {
    Map<String, String> map = new LinkedHashMap<>();
    Json value = object(name);
    if (value != null) {
      Members inner = of(path(name), value, strict);
      inner.members().keySet().forEach(key -> {
        String text = inner.optionalString(key);
        map.put(key, text == null ? "" : text);
      });
    }
    return map;
  }
}
