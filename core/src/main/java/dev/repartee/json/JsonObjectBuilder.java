package dev.repartee.json;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Builds a JSON object with members that may be missing: a null adds none. The members keep their
 * order. Not thread-safe.
 */
public final class JsonObjectBuilder {
  private final Map<String, Object> members = new LinkedHashMap<>();

  /** Creates a builder without members. */
  public JsonObjectBuilder() {}

  /** Returns a builder that starts with the members of an object; with none for null. */
  public static JsonObjectBuilder of(@Nullable Json object) {
    JsonObjectBuilder builder = new JsonObjectBuilder();
    if (object != null) {
      builder.members.putAll(object.members());
    }
    return builder;
  }

  /** Adds or replaces a member. Null adds nothing. {@link #build} converts the value. */
  public JsonObjectBuilder put(String name, @Nullable Object value) {
    if (value != null) {
      members.put(name, value);
    }
    return this;
  }

  /** Adds or replaces an array unless it is empty. */
  public JsonObjectBuilder putUnlessEmpty(String name, Collection<?> elements) {
    return elements.isEmpty() ? this : put(name, elements);
  }

  /** Adds {@code true} if the flag is set. */
  public JsonObjectBuilder flag(String name, boolean set) {
    return set ? put(name, Json.TRUE) : this;
  }

  /** Adds members to the object with this name. Members that it has already are not replaced. */
  public JsonObjectBuilder merge(String name, Json more) {
    JsonObjectBuilder all =
        members.get(name) instanceof Json known ? of(known) : new JsonObjectBuilder();
    more.members().forEach(all.members::putIfAbsent);
    return put(name, all.build());
  }

  /** Renames a member, if there is one with the first name. It becomes the last member. */
  public JsonObjectBuilder rename(String name, String other) {
    return put(other, members.remove(name));
  }

  /** Returns whether there is a member with this name. */
  public boolean has(String name) {
    return members.containsKey(name);
  }

  /**
   * Returns an object with the members that were added so far.
   *
   * @throws IllegalArgumentException if {@link Json#of} cannot convert the value of a member
   */
  public Json build() {
    return Json.of(members);
  }
}
