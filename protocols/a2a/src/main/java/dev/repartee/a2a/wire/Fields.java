package dev.repartee.a2a.wire;

import dev.repartee.json.Json;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Builds a JSON object; members keep their order. For one thread. */
public final class Fields {
  private final Map<String, Object> members = new LinkedHashMap<>();

  /** Starts with the members of an object. */
  static Fields of(Json object) {
    Fields fields = new Fields();
    fields.members.putAll(object.members());
    return fields;
  }

  /** Adds or replaces a member. Null adds nothing. */
  public Fields put(String name, @Nullable Object value) {
    if (value != null) {
      members.put(name, value);
    }
    return this;
  }

  /** Adds an array or an object unless it is empty. */
  public Fields putAll(String name, Collection<?> values) {
    return values.isEmpty() ? this : put(name, values);
  }

  /** Adds {@code true} if the flag is set. */
  public Fields flag(String name, boolean set) {
    return set ? put(name, Json.TRUE) : this;
  }

  /** Returns the object. */
  public Json json() {
    return Json.of(members);
  }
}
