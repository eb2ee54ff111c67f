package dev.repartee.mcp.wire;

import dev.repartee.RpcError;
import dev.repartee.RpcException;
import dev.repartee.json.Json;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the members of a JSON object from a peer, by name and kind. Unknown members are ignored, as
 * the specification requires. A member of the wrong kind fails with -32602 and its path.
 */
public final class JsonObjectReader {
  static final JsonObjectReader NONE = new JsonObjectReader("", Map.of());

  private final String path;
  private final Map<String, Json> members;

  private JsonObjectReader(String path, Map<String, Json> members) {
    this.path = path;
    this.members = members;
  }

  /** Returns the members of the params of a request; none for null. */
  public static JsonObjectReader of(@Nullable Json params) {
    return params == null ? NONE : of("", params);
  }

  private static JsonObjectReader of(String path, Json value) {
    if (value.kind() != Json.Kind.OBJECT) {
      throw invalid((path.isEmpty() ? "params" : path) + ": expected an object");
    }
    return new JsonObjectReader(path.isEmpty() ? "" : path + ".", value.members());
  }

  public static RpcException invalid(String what) {
    return new RpcException(RpcError.INVALID_PARAMS, "Invalid params: " + what);
  }

  public boolean has(String name) {
    return members.containsKey(name);
  }

  public @Nullable Json get(String name) {
    return members.get(name);
  }

  public Map<String, Json> members() {
    return members;
  }

  private Json require(String name) {
    Json value = members.get(name);
    if (value == null) {
      throw invalid("missing: " + path + name);
    }
    return value;
  }

  private RpcException unfit(String name, String expected) {
    return invalid(path + name + ": expected " + expected);
  }

  public String string(String name) {
    Json value = require(name);
    if (value.kind() != Json.Kind.STRING) {
      throw unfit(name, "a string");
    }
    return value.as(String.class);
  }

  public @Nullable String optionalString(String name) {
    return has(name) ? string(name) : null;
  }

  public boolean flag(String name) {
    Json value = members.get(name);
    if (value != null && value.kind() != Json.Kind.BOOLEAN) {
      throw unfit(name, "a boolean");
    }
    return Json.TRUE.equals(value);
  }

  /** Returns the members of a required object. */
  public JsonObjectReader object(String name) {
    return of(path + name, require(name));
  }

  /** Returns the members of an optional object; none if it is missing. */
  public JsonObjectReader optionalObject(String name) {
    return has(name) ? object(name) : NONE;
  }

  /** Returns an optional object unchanged, or null. */
  public @Nullable Json optionalObjectJson(String name) {
    Json value = members.get(name);
    if (value != null && value.kind() != Json.Kind.OBJECT) {
      throw unfit(name, "an object");
    }
    return value;
  }

  /** Returns an optional object of strings; empty if it is missing. */
  public Map<String, String> strings(String name) {
    JsonObjectReader object = optionalObject(name);
    Map<String, String> strings = new LinkedHashMap<>();
    object.members.keySet().forEach(key -> strings.put(key, object.string(key)));
    return strings;
  }

  /** Returns an optional array of strings; empty if it is missing. */
  public List<String> stringList(String name) {
    Json value = members.get(name);
    if (value == null) {
      return List.of();
    }
    if (value.kind() != Json.Kind.ARRAY) {
      throw unfit(name, "an array of strings");
    }
    List<String> strings = new ArrayList<>();
    for (Json element : value.elements()) {
      if (element.kind() != Json.Kind.STRING) {
        throw unfit(name, "an array of strings");
      }
      strings.add(element.as(String.class));
    }
    return Collections.unmodifiableList(strings);
  }
}
