package dev.repartee.mcp.wire;

import dev.repartee.RpcException;
import dev.repartee.json.Json;
import dev.repartee.json.JsonMembers;
import dev.repartee.message.RpcError;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the members of a JSON object from a peer, by name and kind. Unknown members are ignored, as
 * the specification requires. A member of the wrong kind fails with -32602 and its path.
 */
public final class JsonObjectReader extends JsonMembers {
  static final JsonObjectReader NONE = new JsonObjectReader("", Json.EMPTY_OBJECT);

  private JsonObjectReader(String path, Json object) {
    super(path, object.members());
  }

  /** Returns the members of the params of a request; empty for null. */
  public static JsonObjectReader of(@Nullable Json params) {
    if (params == null) {
      return NONE;
    } else if (params.kind() != Json.Kind.OBJECT) {
      throw invalid("params: expected an object");
    }
    return new JsonObjectReader("", params);
  }

  public static RpcException invalid(String what) {
    return new RpcException(RpcError.INVALID_PARAMS, "Invalid params: " + what);
  }

  @Override
  protected RpcException unfit(String path, String expected, @Nullable Json value) {
    return invalid(value == null ? "missing: " + path : path + ": expected " + expected);
  }

  /** Returns the members of a required object. */
  public JsonObjectReader object(String name) {
    return new JsonObjectReader(path(name), require(name, Json.Kind.OBJECT));
  }

  /** Returns the members of an optional object; empty if it is missing. */
  public JsonObjectReader optionalObject(String name) {
    return has(name) ? object(name) : NONE;
  }

  /** Returns an optional object unchanged, or null. */
  public @Nullable Json optionalObjectJson(String name) {
    return get(name, Json.Kind.OBJECT);
  }

  /** Returns an optional object of strings; empty if it is missing. */
  public Map<String, String> strings(String name) {
    JsonObjectReader object = optionalObject(name);
    Map<String, String> strings = new LinkedHashMap<>();
    object.members().keySet().forEach(key -> strings.put(key, object.string(key)));
    return strings;
  }
}
