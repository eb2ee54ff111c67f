package dev.repartee;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The type of the params of a method that takes them as a whole. A request without params is read
 * like one with empty params, which names the members that are missing.
 */
final class WholeParams {
  private static final Json OBJECT = Json.of("object");
  private static final Json ARRAY = Json.of("array");
  private static final Json NULL = Json.of("null");

  private final JsonType<?> type;
  private final @Nullable List<RpcMethod.Parameter> members;
  private final boolean none;
  private final Json empty;

  /**
   * @throws IllegalArgumentException if the values of the type are neither objects nor arrays, as
   *     params have to be
   */
  WholeParams(JsonType<?> type) {
    Json schema = type.schema();
    Json form = schema.kind() == Json.Kind.OBJECT ? schema.get("type") : null;
    this.type = type;
    this.none = NULL.equals(form);
    this.members = OBJECT.equals(form) ? RpcMethod.Parameter.members(schema) : null;
    Json absent = type.absent();
    this.empty =
        absent != null ? absent : ARRAY.equals(form) ? Json.EMPTY_ARRAY : Json.EMPTY_OBJECT;
    if (form != null
        && form.kind() == Json.Kind.STRING
        && !none
        && !OBJECT.equals(form)
        && !ARRAY.equals(form)) {
      throw new IllegalArgumentException("params have the form of an object or an array, which a "
          + form.as(String.class) + " has not; use a record with one component");
    }
  }

  /** Returns whether the params are an object with known members. */
  boolean hasMembers() {
    return members != null;
  }

  /** Returns whether the params have a member of that name; false if the members are not known. */
  boolean hasMember(String name) {
    return members != null && members.stream().anyMatch(member -> member.name().equals(name));
  }

  /** Returns the members as parameters; null if they are not known. */
  @Nullable List<RpcMethod.Parameter> parameters() {
    return none ? List.of() : members;
  }

  /** Returns the params that stand for those of a request without params. */
  Json empty() {
    return empty;
  }

  /**
   * Reads the params of a request.
   *
   * @throws RpcException invalid params (-32602) if they do not fit the type
   */
  @Nullable Object read(@Nullable Json params) {
    if (none) {
      if (params != null && params.length() > 2) {
        throw RpcException.invalidParams("this method has no parameters");
      }
      return null;
    }
    try {
      return (params == null ? empty : params).as(type);
    } catch (JsonException e) {
      throw RpcException.invalidParams(String.valueOf(e.getMessage()));
    }
  }
}
