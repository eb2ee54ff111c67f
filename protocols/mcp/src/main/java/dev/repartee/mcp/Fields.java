package dev.repartee.mcp;

import dev.repartee.Json;
import dev.repartee.RpcError;
import dev.repartee.RpcException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The members of an object that a peer sent, read by name and kind; members that nobody asks for are
 * left alone, as the protocol has it. What does not fit is refused with -32602 and the path of it.
 */
final class Fields {
  static final Fields NONE = new Fields("", Map.of());

  private final String path;
  private final Map<String, Json> members;

  private Fields(String path, Map<String, Json> members) {
    this.path = path;
    this.members = members;
  }

  /** The members of the params of a request. */
  static Fields of(@Nullable Json params) {
    return params == null ? NONE : of("", params);
  }

  private static Fields of(String path, Json value) {
    if (value.kind() != Json.Kind.OBJECT) {
      throw invalid((path.isEmpty() ? "params" : path) + ": expected an object");
    }
    return new Fields(path.isEmpty() ? "" : path + ".", value.members());
  }

  static RpcException invalid(String what) {
    return new RpcException(RpcError.INVALID_PARAMS, "Invalid params: " + what);
  }

  boolean has(String name) {
    return members.containsKey(name);
  }

  @Nullable Json get(String name) {
    return members.get(name);
  }

  Map<String, Json> members() {
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

  String string(String name) {
    Json value = require(name);
    if (value.kind() != Json.Kind.STRING) {
      throw unfit(name, "a string");
    }
    return value.as(String.class);
  }

  @Nullable String optionalString(String name) {
    return has(name) ? string(name) : null;
  }

  boolean flag(String name) {
    Json value = members.get(name);
    if (value != null && value.kind() != Json.Kind.BOOLEAN) {
      throw unfit(name, "a boolean");
    }
    return Json.TRUE.equals(value);
  }

  /** The members of the object of that name. */
  Fields object(String name) {
    return of(path + name, require(name));
  }

  /** The same; none where there is no such object. */
  Fields optionalObject(String name) {
    return has(name) ? object(name) : NONE;
  }

  /** The object of that name as it stands, or null. */
  @Nullable Json optionalObjectJson(String name) {
    Json value = members.get(name);
    if (value != null && value.kind() != Json.Kind.OBJECT) {
      throw unfit(name, "an object");
    }
    return value;
  }

  /** An object whose values are strings; empty where there is none. */
  Map<String, String> strings(String name) {
    Fields object = optionalObject(name);
    Map<String, String> strings = new LinkedHashMap<>();
    object.members.keySet().forEach(key -> strings.put(key, object.string(key)));
    return strings;
  }

  /** An array of strings; empty where there is none. */
  List<String> stringList(String name) {
    Json value = members.get(name);
    if (value == null) {
      return List.of();
    }
    if (value.kind() != Json.Kind.ARRAY
        || value.elements().stream().anyMatch(e -> e.kind() != Json.Kind.STRING)) {
      throw unfit(name, "an array of strings");
    }
    return value.elements().stream().map(e -> e.as(String.class)).toList();
  }
}
