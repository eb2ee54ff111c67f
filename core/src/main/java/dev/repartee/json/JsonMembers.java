package dev.repartee.json;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the members of a JSON object by name and kind; {@link JsonObjectBuilder} writes them. A
 * subclass creates the exceptions for faults, which name the path of the member, and adds the forms
 * of its protocol. Members that are not read are ignored.
 */
public abstract class JsonMembers {
  private final String path;
  private final Map<String, Json> members;

  /**
   * Creates a reader.
   *
   * @param path the path of the object in exceptions; empty for the root
   * @param members the members by name; not copied
   */
  protected JsonMembers(String path, Map<String, Json> members) {
    this.path = path;
    this.members = members;
  }

  /**
   * Returns the exception for a value of the wrong kind.
   *
   * @param path the path of the value
   * @param expected the right kind, such as {@code a string}
   * @param value the value; null if a required member is missing
   */
  protected abstract RuntimeException unfit(String path, String expected, @Nullable Json value);

  /** Returns the path of the object in exceptions. */
  public final String path() {
    return path;
  }

  /** Returns the path of a member in exceptions. */
  public final String path(String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  /** Returns the members by name, in order. */
  public final Map<String, Json> members() {
    return members;
  }

  /** Returns the value of a member; null if it is missing. All other methods read with this one. */
  public @Nullable Json get(String name) {
    return members.get(name);
  }

  /** Returns whether a member is present. */
  public final boolean has(String name) {
    return get(name) != null;
  }

  /** Returns the value of a member of one kind; null if it is missing. */
  public final @Nullable Json get(String name, Json.Kind kind) {
    Json value = get(name);
    if (value != null && value.kind() != kind) {
      throw unfit(path(name), kind.phrase(), value);
    }
    return value;
  }

  /** Returns the value of a required member of one kind. */
  public final Json require(String name, Json.Kind kind) {
    Json value = get(name, kind);
    if (value == null) {
      throw unfit(path(name), kind.phrase(), null);
    }
    return value;
  }

  /** Returns a required string. */
  public String string(String name) {
    return require(name, Json.Kind.STRING).as(String.class);
  }

  /** Returns a string; null if it is missing. */
  public final @Nullable String optionalString(String name) {
    Json value = get(name, Json.Kind.STRING);
    return value == null ? null : value.as(String.class);
  }

  /** Returns a required integer. */
  public final long integer(String name) {
    Json value = get(name);
    try {
      if (value != null) {
        return value.as(long.class);
      }
    } catch (JsonException e) {
      // It is another kind of number or value.
    }
    throw unfit(path(name), "an integer", value);
  }

  /** Returns a boolean; false if it is missing. */
  public final boolean flag(String name) {
    return Json.TRUE.equals(get(name, Json.Kind.BOOLEAN));
  }

  /** Returns an array of strings; empty if it is missing. */
  public final List<String> stringList(String name) {
    Json array = get(name);
    if (array == null) {
      return List.of();
    }
    List<Json> elements = array.elements();
    if (array.kind() != Json.Kind.ARRAY
        || !elements.stream().allMatch(each -> each.kind() == Json.Kind.STRING)) {
      throw unfit(path(name), "an array of strings", array);
    }
    return elements.stream().map(each -> each.as(String.class)).toList();
  }
}
