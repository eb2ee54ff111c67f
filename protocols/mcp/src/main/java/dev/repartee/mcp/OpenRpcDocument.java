package dev.repartee.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Json;
import dev.repartee.ProtocolException;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the methods of a service from its OpenRPC 1.x document. The reader is lenient: a member
 * that is missing or invalid counts as unknown. For one thread.
 */
final class OpenRpcDocument {
  private static final int LONGEST_REFERENCE = 1_000;

  /** The maximum length of a chain of references; a longer one has no target. */
  private static final int MAX_HOPS = 32;

  private final Json document;

  /** The members of the objects that references have led through, by JSON pointer. */
  private final Map<String, Map<String, Json>> looked = new HashMap<>();

  OpenRpcDocument(Json document) {
    this.document = document;
  }

  /**
   * Returns all methods except those reserved by JSON-RPC ({@code rpc.}).
   *
   * @throws ProtocolException if the document has no array {@code methods}
   */
  List<RemoteMethod> methods() {
    Json methods = document.get("methods");
    if (methods == null || methods.kind() != Json.Kind.ARRAY) {
      throw new ProtocolException(
          "the answer to rpc.discover is no OpenRPC document: it has no array 'methods'");
    }
    List<RemoteMethod> known = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Json entry : methods.elements()) {
      Json method = resolve(entry);
      String name = text(method, "name");
      if (name != null && !name.startsWith("rpc.") && names.add(name)) {
        known.add(method(name, method));
      }
    }
    return known;
  }

  private RemoteMethod method(String name, Json method) {
    Definitions definitions = new Definitions(this);
    InputSchema input = new InputSchema();
    List<RemoteMethod.Position> positions = new ArrayList<>();
    for (Json entry : elements(method.get("params"))) {
      Json param = resolve(entry);
      String given = text(param, "name");
      String parameter = given == null ? "arg" + positions.size() : given;
      positions.add(
          new RemoteMethod.Position(parameter, Json.TRUE.equals(param.get("x-variadic"))));
      input.add(
          parameter, definitions.take(schema(param)), Json.TRUE.equals(param.get("required")));
    }
    return new RemoteMethod(
        name,
        description(method),
        positions.isEmpty()
            ? RemoteMethod.unknown(name).input() // any arguments: many services list no params
            : InputSchema.asObject(definitions.addTo(input.members()).json()),
        output(method.get("result")),
        "by-position".equals(text(method, "paramStructure")) ? positions : null);
  }

  private static List<Json> elements(@Nullable Json array) {
    return array == null ? List.of() : array.elements();
  }

  /** Returns the schema of a parameter, with the parameter's description. */
  private static Json schema(Json param) {
    Json given = param.get("schema");
    Json schema = given == null ? Json.EMPTY_OBJECT : given;
    String description = description(param);
    return description == null || schema.get("description") != null || schema.equals(Json.FALSE)
        ? schema
        : Members.of(schema).put("description", description).json();
  }

  private static @Nullable String description(Json described) {
    String summary = text(described, "summary");
    String description = text(described, "description");
    if (summary == null || description == null || summary.equals(description)) {
      return summary == null ? description : summary;
    }
    return summary + "\n\n" + description;
  }

  private @Nullable Json output(@Nullable Json result) {
    Json schema = result == null ? null : resolve(result).get("schema");
    Json root = schema == null ? Json.TRUE : resolve(schema);
    if (!"object".equals(text(root, "type"))) {
      return null;
    }
    Definitions definitions = new Definitions(this);
    return InputSchema.asObject(
        definitions.addTo(Members.of(definitions.take(root))).json());
  }

  // ---------------------------------------------------------------- references

  /** Follows references; returns the value itself if it is none. */
  private Json resolve(Json value) {
    Json resolved = value;
    for (int hops = 0; hops < MAX_HOPS; hops++) {
      String reference = text(resolved, "$ref");
      Json target = reference == null ? null : find(reference);
      if (target == null) {
        return resolved;
      }
      resolved = target;
    }
    return Json.EMPTY_OBJECT;
  }

  /**
   * Returns the target of a reference into this document (RFC 6901, section 6); null if there is
   * none.
   */
  @Nullable Json find(String reference) {
    boolean within = reference.startsWith("#/") && reference.length() <= LONGEST_REFERENCE;
    return within ? at(reference.substring(1)) : null;
  }

  private @Nullable Json at(String pointer) {
    if (pointer.isEmpty()) {
      return document;
    }
    int slash = pointer.lastIndexOf('/');
    String step = pointer.substring(slash + 1);
    try {
      String decoded = URLDecoder.decode(step.replace("+", "%2B"), UTF_8);
      return members(pointer.substring(0, slash))
          .get(decoded.replace("~1", "/").replace("~0", "~"));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private Map<String, Json> members(String pointer) {
    Map<String, Json> known = looked.get(pointer);
    if (known == null) {
      Json value = at(pointer);
      known = value == null ? Map.of() : members(value);
      looked.put(pointer, known);
    }
    return known;
  }

  private static Map<String, Json> members(Json value) {
    if (value.kind() != Json.Kind.ARRAY) {
      return value.members();
    }
    Map<String, Json> elements = new LinkedHashMap<>();
    value.elements().forEach(element -> elements.put(String.valueOf(elements.size()), element));
    return elements;
  }

  static @Nullable String text(Json object, String member) {
    Json value = object.get(member);
    return value == null || value.kind() != Json.Kind.STRING ? null : value.as(String.class);
  }
}
