package dev.repartee.mcp.wire;

import dev.repartee.json.Json;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Builds a JSON object; members keep their order. For one thread. */
public final class JsonObjectWriter {
  private final Map<String, Object> members = new LinkedHashMap<>();

  /** Starts with the members of an object; null stands for an empty one. */
  public static JsonObjectWriter of(@Nullable Json object) {
    JsonObjectWriter copy = new JsonObjectWriter();
    if (object != null) {
      copy.members.putAll(object.members());
    }
    return copy;
  }

  /** Adds or replaces a member. Null adds nothing. */
  public JsonObjectWriter put(String name, @Nullable Object value) {
    if (value != null) {
      members.put(name, value);
    }
    return this;
  }

  /** Adds an array unless it is empty. */
  public JsonObjectWriter putAll(String name, Collection<?> values) {
    return values.isEmpty() ? this : put(name, values);
  }

  /** Adds {@code true} if the flag is set. */
  public JsonObjectWriter flag(String name, boolean set) {
    return set ? put(name, Json.TRUE) : this;
  }

  /** Adds members to the object of that name; existing members win. */
  public JsonObjectWriter merge(String name, Json more) {
    JsonObjectWriter all =
        members.get(name) instanceof Json known ? of(known) : new JsonObjectWriter();
    more.members().forEach(all.members::putIfAbsent);
    return put(name, all.json());
  }

  public boolean has(String name) {
    return members.containsKey(name);
  }

  public Json json() {
    return Json.of(members);
  }
}
