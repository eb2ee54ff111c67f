package dev.repartee.openrpc;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.trace.Recording;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An OpenRPC document: the methods of a service with the schemas of their params and results.
 * Versions 1.0 to 1.4 are read. Unknown members are ignored and kept in {@link #json}. References
 * lead into the document; no other document is fetched. Immutable and thread-safe.
 *
 * @see <a href="https://spec.open-rpc.org">OpenRPC specification</a>
 */
public final class OpenRpc {
  private static final Pattern VERSION = Pattern.compile("1\\.([0-9]{1,3})\\..*");

  /** The first minor version in which a method without a result is a notification. */
  private static final int NOTIFICATIONS = 3;

  private final Json json;
  private final String version;
  private final Info info;
  private final Map<String, MethodDescriptor> methods;
  private final Map<String, MethodDescriptor> notifications;
  private final Map<String, Json> schemas;
  private final References references;

  private OpenRpc(
      Json json,
      String version,
      Info info,
      Map<String, MethodDescriptor> methods,
      Map<String, MethodDescriptor> notifications,
      Map<String, Json> schemas,
      References references) {
    this.json = json;
    this.version = version;
    this.info = info;
    this.methods = methods;
    this.notifications = notifications;
    this.schemas = schemas;
    this.references = references;
  }

  /**
   * Reads a document.
   *
   * @throws OpenRpcException if the text is not JSON, or {@link #of} refuses it
   */
  public static OpenRpc parse(byte[] text) {
    return of(json(text));
  }

  /**
   * Reads the JSON of a document, for {@link #of} or {@link #bundle}.
   *
   * @throws OpenRpcException if the text is not JSON
   */
  public static Json json(byte[] text) {
    try {
      return Json.parse(text);
    } catch (JsonException e) {
      throw new OpenRpcException("", "it is not JSON: " + e.getMessage());
    }
  }

  /**
   * Reads a document.
   *
   * @throws OpenRpcException if the value is not an OpenRPC document, a member has the wrong form,
   *     a reference has no target, leads to another document or into a loop, two methods have one
   *     name, or no value fits the schema of a result or of a required parameter
   */
  public static OpenRpc of(Json json) {
    Node root = new Node(json, "", false);
    for (String member : List.of("openrpc", "methods")) {
      if (root.get(member) == null) {
        throw root.fault("it is not an OpenRPC document: the member '" + member + "' is missing");
      }
    }
    String version = root.string("openrpc");
    if (!VERSION.matcher(version).matches()) {
      throw new OpenRpcException(
          "/openrpc", "expected a version from 1.0.0 to 1.4.x, found '" + version + "'");
    }
    OpenRpc document = read(root);
    document.check(root);
    return document;
  }

  /**
   * Reads a document that may refer to others. The parts that references lead to become components.
   *
   * @param base the URI of the document, to which references are relative
   * @param loader loads the other documents
   * @throws OpenRpcException as {@link #of} does, or if another document cannot be loaded
   */
  public static OpenRpc bundle(Json json, URI base, ReferenceLoader loader) {
    return of(Bundle.of(new Node(json, "", false), base, loader));
  }

  /**
   * Joins documents to one. The name of each method, and of each notification that is sent, gets the
   * prefix of its document. A component whose name an earlier document has used is renamed: the
   * prefix is put before it.
   *
   * @param info the title and version of the new document
   * @param documents the documents by prefix, such as {@code shop.}; in this order
   * @throws OpenRpcException if two methods or two notifications have one name, or a reference leads
   *     to a part that is neither one of these nor a component
   */
  public static OpenRpc merge(Info info, Map<String, OpenRpc> documents) {
    Merger merger = new Merger();
    documents.forEach(merger::add);
    return of(merger.json(info));
  }

  /**
   * Infers a document from a recording of calls, for a service that does not describe itself: the
   * methods that were called, and schemas that fit all values that were seen. The service is the
   * side of the recording that received more requests.
   *
   * @param title the title of the document
   * @throws java.io.UncheckedIOException if the recording cannot be read
   */
  public static OpenRpc inferredFrom(Recording recording, String title) {
    return of(Inference.document(recording.entries(), title));
  }

  /**
   * Reads the document of a service that may be wrong: a member that is missing or has the wrong
   * form counts as unknown, and a reference without a target as an object without members. Methods
   * without a name, and those with the name of an earlier one, are left out. Strings are empty, and
   * schemas {@code {}}, where the document has none.
   *
   * @throws OpenRpcException if there is no array {@code methods}
   */
  public static OpenRpc lenient(Json json) {
    Node root = new Node(json, "", true);
    if (root.get("methods", Json.Kind.ARRAY) == null) {
      throw root.fault("it is not an OpenRPC document: the array 'methods' is missing");
    }
    return read(root);
  }

  private static OpenRpc read(Node root) {
    String version = root.string("openrpc");
    Node info = root.get("info", Json.Kind.OBJECT);
    References references = new References(root);
    Map<String, Json> schemas = new LinkedHashMap<>();
    Node components = root.get("components", Json.Kind.OBJECT);
    if (components != null) {
      components.members("schemas").forEach((name, schema) -> schemas.put(name, schema.value()));
    }
    return new OpenRpc(
        root.value(),
        version,
        info == null ? new Info("untitled", "0", null) : Info.of(info),
        methods(root, references, resultMarksRequests(version)),
        named(root, "x-notifications", references, method -> method.withSent(root.isLenient())),
        schemas,
        references);
  }

  private static boolean resultMarksRequests(String version) {
    Matcher numbers = VERSION.matcher(version);
    return numbers.matches() && Integer.parseInt(numbers.group(1)) >= NOTIFICATIONS;
  }

  private static Map<String, MethodDescriptor> methods(
      Node root, References references, boolean resultMarksRequests) {
    return named(
        root,
        "methods",
        references,
        method -> method.isNotification() && !resultMarksRequests
            ? method.withUnknownResult(root.isLenient())
            : method);
  }

  /**
   * Reads the methods in an array.
   *
   * @param completion returns the method in the form of this array
   */
  private static Map<String, MethodDescriptor> named(
      Node root, String member, References references, UnaryOperator<MethodDescriptor> completion) {
    Map<String, MethodDescriptor> methods = new LinkedHashMap<>();
    for (Node element : root.elements(member)) {
      MethodDescriptor method = completion.apply(references.one(
          element, MethodDescriptor.class, node -> MethodDescriptor.of(node, references)));
      MethodDescriptor other = root.isLenient() && method.name().isEmpty()
          ? null
          : methods.putIfAbsent(method.name(), method);
      if (other != null && !root.isLenient()) {
        throw element.fault("a second " + (method.sent() ? "notification" : "method")
            + " with the name '" + method.name() + "'; the first is at " + other.pointer());
      }
    }
    return methods;
  }

  /** Checks everything that the methods do not show directly. */
  private void check(Node root) {
    new ReferenceCheck(references).check(root, Part.DOCUMENT);
    Values values = new Values(references);
    Stream.concat(methods.values().stream(), notifications.values().stream()).forEach(method -> {
      if (method.result() != null) {
        values.require(method.result().node());
      }
      for (ContentDescriptor param :
          method.params() == null ? List.<ContentDescriptor>of() : method.params()) {
        if (param.required()) {
          values.require(param.node());
        }
      }
    });
  }

  /** Returns the version of OpenRPC that the document states, such as {@code 1.4.1}. */
  public String version() {
    return version;
  }

  /** Returns the title and version of the API; "untitled" if the document has none. */
  public Info info() {
    return info;
  }

  /** Returns the methods in the order of the document. Unmodifiable. */
  public List<MethodDescriptor> methods() {
    return List.copyOf(methods.values());
  }

  /** Returns the method of this name; null if there is none. */
  public @Nullable MethodDescriptor method(String name) {
    return methods.get(name);
  }

  /**
   * Returns the notifications that the server sends, in the order of the document: those in {@code
   * x-notifications}, an extension of this library. Unmodifiable.
   */
  public List<MethodDescriptor> notifications() {
    return List.copyOf(notifications.values());
  }

  /** Returns the notification of this name that the server sends; null if there is none. */
  public @Nullable MethodDescriptor notification(String name) {
    return notifications.get(name);
  }

  /** Returns the schemas in {@code /components/schemas}, in order. A copy. */
  public Map<String, Json> schemas() {
    return new LinkedHashMap<>(schemas);
  }

  /**
   * Returns the target of a reference such as {@code #/components/schemas/Order}. A schema may
   * refer to itself; each call follows one reference.
   *
   * @throws OpenRpcException if there is no target
   */
  public Json resolve(String reference) {
    return references.target(new Node(json, "", false), reference).value();
  }

  /** Returns the target of a reference as {@link #resolve} does; null if there is none. */
  public @Nullable Json find(String reference) {
    Node target = references.find(reference);
    return target == null ? null : target.value();
  }

  /**
   * Follows the references of a schema. Returns the schema itself if it is not a reference.
   *
   * @throws OpenRpcException if a reference has no target or leads into a loop, unless the document
   *     is {@link #lenient}
   */
  public Json resolved(Json schema) {
    return references.follow(new Node(schema, "", false)).value();
  }

  /**
   * Returns a schema of this document as a document of its own: a JSON Schema of draft-07 that
   * contains the definitions to which it refers.
   *
   * @throws OpenRpcException if a reference has no target
   */
  public Json standalone(ContentDescriptor content) {
    return standalone(content.schema(), content.pointer());
  }

  /**
   * Returns a schema, or a part of one, as {@link #standalone(ContentDescriptor)} does.
   *
   * @param pointer the JSON pointer of the schema in this document, for messages
   * @throws OpenRpcException if a reference has no target
   */
  public Json standalone(Json schema, String pointer) {
    return StandaloneSchema.of(new Node(schema, pointer, false), references);
  }

  References references() {
    return references;
  }

  /** Returns the document as it was read. */
  public Json json() {
    return json;
  }

  /** Returns the title and the number of methods. */
  @Override
  public String toString() {
    return info.title() + " (" + methods.size() + " methods)";
  }
}
