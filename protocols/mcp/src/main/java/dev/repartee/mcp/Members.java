package dev.repartee.mcp;

import dev.repartee.Json;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The members of a JSON object in the making, in their order. For one thread. */
final class Members {
  private final Map<String, Object> members = new LinkedHashMap<>();

  /** The members of an object, to be added to. */
  static Members of(@Nullable Json object) {
    Members copy = new Members();
    if (object != null) {
      copy.members.putAll(object.members());
    }
    return copy;
  }

  /** Adds or replaces a member; what is null is left out. */
  Members put(String name, @Nullable Object value) {
    if (value != null) {
      members.put(name, value);
    }
    return this;
  }

  /** Adds a member unless there is nothing in it. */
  Members putAll(String name, Collection<?> values) {
    return values.isEmpty() ? this : put(name, values);
  }

  /** Adds a flag where it is set. */
  Members flag(String name, boolean set) {
    return set ? put(name, Json.TRUE) : this;
  }

  /** Adds the members of an object to those of the object of that name, which stay as they are. */
  Members merge(String name, Json more) {
    Members all = members.get(name) instanceof Json known ? of(known) : new Members();
    more.members().forEach(all.members::putIfAbsent);
    return put(name, all.json());
  }

  boolean has(String name) {
    return members.containsKey(name);
  }

  Json json() {
    return Json.of(members);
  }
}
