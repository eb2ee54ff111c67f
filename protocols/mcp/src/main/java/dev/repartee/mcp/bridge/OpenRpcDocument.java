package dev.repartee.mcp.bridge;

import dev.repartee.ProtocolException;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.schema.InputSchema;
import dev.repartee.transport.Endpoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the methods of a service from its OpenRPC 1.x document, such as 1.2.4 or 1.4.1. The reader
 * is lenient: a member that is missing or invalid counts as unknown. Not thread-safe.
 */
final class OpenRpcDocument {
  private static final int LONGEST_REFERENCE = 1_000;

  /** The maximum length of a chain of references. The target of a longer chain is ignored. */
  private static final int MAX_HOPS = 32;

  /**
   * The maximum number of bytes by which the methods may exceed the size of the document. They
   * exceed it if references repeat parts of the document, because each method gets separate copies.
   */
  private static final int MAX_REPEATED = 32 << 20;

  /** The versions in which a method without a result is a notification. */
  private static final Pattern NOTIFICATIONS = Pattern.compile("1\\.([3-9]|[1-9][0-9]+)\\..*");

  private final Json document;
  private final boolean resultMarksRequests;
  private final String origin;
  private final int repeated;

  /** The number of bytes that may still be copied. */
  private long room;

  /** The members of the objects on the paths of references, by JSON pointer. */
  private final Map<String, Map<String, Json>> looked = new HashMap<>();

  /** Creates a reader; {@code origin} names the document in error messages. */
  OpenRpcDocument(Json document, String origin) {
    this(document, origin, MAX_REPEATED);
  }

  /** Creates a reader; {@code repeated} is the number of bytes that references may repeat. */
  OpenRpcDocument(Json document, String origin, int repeated) {
    this.document = document;
    this.resultMarksRequests = resultMarksRequests(document);
    this.origin = origin;
    this.repeated = repeated;
    this.room = document.length() + (long) repeated;
  }

  /**
   * Counts and returns a part of the document that will be copied.
   *
   * @throws ProtocolException if the methods would need too much memory
   */
  Json copied(Json part) {
    room -= part.length();
    if (room < 0) {
      throw new ProtocolException(
          origin + " repeats more than " + (repeated >> 20) + " MiB of itself by references");
    }
    return part;
  }

  /**
   * Returns all methods except those reserved by JSON-RPC ({@code rpc.}).
   *
   * @throws ProtocolException if the document has no array {@code methods}, or repeats too much of
   *     itself by references
   */
  List<RemoteMethod> methods() {
    Json methods = document.get("methods");
    if (methods == null || methods.kind() != Json.Kind.ARRAY) {
      throw new ProtocolException(
          origin + " is not an OpenRPC document: the array 'methods' is missing");
    }
    List<RemoteMethod> known = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Json entry : methods.elements()) {
      Json method = copied(resolve(entry));
      String name = method.string("name");
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
      Json param = referenced(entry);
      String given = param.string("name");
      String parameter = given == null ? "arg" + positions.size() : given;
      positions.add(
          new RemoteMethod.Position(parameter, Json.TRUE.equals(param.get("x-variadic"))));
      input.add(
          parameter, definitions.take(schema(param)), Json.TRUE.equals(param.get("required")));
    }
    Json stream = method.get("x-stream");
    return new RemoteMethod(
        name,
        description(method),
        positions.isEmpty()
            ? RemoteMethod.unknown(name).input() // any: many services list no params
            : InputSchema.asObject(definitions.addTo(input.members()).build()),
        stream == null ? output(method.get("result")) : null, // in a stream it describes an item
        "by-position".equals(method.string("paramStructure")) ? positions : null,
        stream != null && !"partialResults".equals(stream.string("form")),
        resultMarksRequests && method.get("result") == null);
  }

  /**
   * Returns whether a method without the member {@code result} is a notification. True from OpenRPC
   * 1.3 on; in earlier versions the member is required.
   */
  private static boolean resultMarksRequests(Json document) {
    String version = document.string("openrpc");
    return version != null && NOTIFICATIONS.matcher(version).matches();
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
        : JsonObjectBuilder.of(schema).put("description", description).build();
  }

  private static @Nullable String description(Json described) {
    String summary = described.string("summary");
    String description = described.string("description");
    if (summary == null || description == null || summary.equals(description)) {
      return summary == null ? description : summary;
    }
    return summary + "\n\n" + description;
  }

  private @Nullable Json output(@Nullable Json result) {
    Json schema = result == null ? null : referenced(result).get("schema");
    Json root = schema == null ? Json.TRUE : referenced(schema);
    if (!"object".equals(root.string("type"))) {
      return null;
    }
    Definitions definitions = new Definitions(this);
    return InputSchema.asObject(
        definitions.addTo(JsonObjectBuilder.of(definitions.take(root))).build());
  }

  // ---------------------------------------------------------------- references

  /** Follows references in a copied part. Counts the copy if the target is another part. */
  private Json referenced(Json value) {
    Json resolved = resolve(value);
    return resolved == value ? value : copied(resolved); // identity: another part may be equal
  }

  /** Follows references. Returns the value itself if it is not a reference. */
  private Json resolve(Json value) {
    Json resolved = value;
    for (int hops = 0; hops < MAX_HOPS; hops++) {
      String reference = resolved.string("$ref");
      Json target = reference == null ? null : find(reference);
      if (target == null) {
        return resolved;
      }
      resolved = target;
    }
    return Json.EMPTY_OBJECT;
  }

  /** Returns the target of a reference into this document (RFC 6901, section 6), or null. */
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
      String decoded = Endpoint.decoded(step);
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
}
