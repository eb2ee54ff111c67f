package dev.repartee;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonType;
import dev.repartee.json.SchemaDefinitions;
import dev.repartee.json.UnknownMembers;
import dev.repartee.json.UnsafeJson;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The type of the params of a method that reads them as a whole. A request without params is read
 * like one with empty params, which names the members that are missing.
 */
final class WholeParams {
  private static final Json OBJECT = Json.of("object");
  private static final Json ARRAY = Json.of("array");
  private static final Json NULL = Json.of("null");

  private final JsonType<?> type;
  private final @Nullable Json members;
  private final Set<Json> required;
  private final boolean none;
  private final Json empty;

  /** The type in the schema of the values, or null if the schema states none. */
  private final @Nullable Json form;

  WholeParams(JsonType<?> type) {
    Json schema = type.schema();
    this.form = schema.kind() == Json.Kind.OBJECT ? schema.get("type") : null;
    this.type = type;
    this.none = NULL.equals(form);
    this.members = OBJECT.equals(form) ? schema.get("properties") : null;
    Json required = members == null ? null : schema.get("required");
    this.required = required == null ? Set.of() : Set.copyOf(required.elements());
    Json absent = type.absent();
    this.empty =
        absent != null ? absent : ARRAY.equals(form) ? Json.EMPTY_ARRAY : Json.EMPTY_OBJECT;
  }

  /**
   * Returns this type, if its values have the form of params.
   *
   * @throws IllegalArgumentException if they are neither objects nor arrays
   */
  WholeParams requireStructured() {
    if (form != null
        && form.kind() == Json.Kind.STRING
        && !none
        && !OBJECT.equals(form)
        && !ARRAY.equals(form)) {
      throw new IllegalArgumentException("params have the form of an object or an array, which a "
          + form.as(String.class) + " has not; use a record with one component");
    }
    return this;
  }

  /** Returns whether the params are an object with known members. */
  boolean hasMembers() {
    return members != null;
  }

  /** Returns whether the params have a member of that name; false if the members are not known. */
  boolean hasMember(String name) {
    return members != null && members.get(name) != null;
  }

  /** Returns the schemas of the members by name; null if the members are not known. */
  @Nullable Map<String, Json> members() {
    return none ? Map.of() : members == null ? null : members.members();
  }

  /** Returns the {@link #members} with references to named types in their schemas. */
  @Nullable Map<String, Json> members(SchemaDefinitions definitions) {
    Json properties = members == null ? null : definitions.inFull(type).get("properties");
    return properties == null ? members() : properties.members();
  }

  /** Returns whether the params must have the member of that name. */
  boolean requires(String name) {
    return required.contains(Json.of(name));
  }

  /** Returns the params to use for a request without params. */
  Json empty() {
    return empty;
  }

  /**
   * Reads the params of a request.
   *
   * @throws RpcException invalid params (-32602) if they do not fit the type
   */
  @Nullable Object read(@Nullable Json params, UnknownMembers unknown) {
    if (none) {
      if (params != null && params.length() > 2) {
        throw RpcException.invalidParams("this method has no parameters");
      }
      return null;
    }
    try {
      byte[] text = UnsafeJson.array(params == null ? empty : params);
      return type.read(text, 0, text.length, unknown);
    } catch (JsonException e) {
      throw RpcException.invalidParams(String.valueOf(e.getMessage()));
    }
  }
}
