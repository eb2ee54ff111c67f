package dev.repartee.mcp;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The rules for extensions of MCP and their requests. */
final class Extensions {
  private static final int LONGEST = 256;

  /** The pattern of keys in {@code _meta}. Extensions require the prefix. */
  private static final Pattern NAME =
      Pattern.compile("[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?(\\.[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?)*"
          + "/[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?");

  private static final Pattern METHOD =
      Pattern.compile("[A-Za-z][A-Za-z0-9_.-]*(/[A-Za-z0-9_.-]+)*");

  private Extensions() {}

  /** Throws IllegalArgumentException unless the text is a name of an extension. */
  static void requireName(String name) {
    if (name.length() > LONGEST || !NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("the name of an extension is a prefix of dot-separated"
          + " labels, a slash and a name, such as com.example/audit, not '" + name + "'");
    }
  }

  /** Throws IllegalArgumentException unless a method of that name may be added. */
  static void requireMethod(String name) {
    if (name.length() > LONGEST || !METHOD.matcher(name).matches()) {
      throw new IllegalArgumentException("the name of a method is words with slashes between them,"
          + " such as skills/list, not '" + name + "'");
    } else if (name.startsWith("rpc.") || name.startsWith("notifications/")) {
      throw new IllegalArgumentException(
          "'" + name + "' is not the method of an extension: names that begin with rpc. or"
              + " notifications/ are reserved");
    }
  }

  /** Returns the row of a request of an extension, in all revisions. */
  static Method row(String name, RequestHandler handler) {
    return Method.of(name, (call, params) -> {
          Json given = call.call().params();
          Object result = handler.handle(call, given == null ? Json.EMPTY_OBJECT : given);
          return Stages.map(result, value -> members(name, value));
        })
        .asking();
  }

  private static JsonObjectBuilder members(String method, @Nullable Object result) {
    Json json = result == null ? Json.EMPTY_OBJECT : Json.of(result);
    if (json.kind() != Json.Kind.OBJECT) {
      throw new IllegalStateException("the result of '" + method + "' has to be an object, but is "
          + json.kind().phrase());
    }
    return JsonObjectBuilder.of(json);
  }
}
