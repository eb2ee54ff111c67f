package dev.repartee.openrpc;

import dev.repartee.json.Json;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A method of a service, or a notification that it sends (OpenRPC, Method Object). References to
 * everything except schemas are resolved.
 *
 * @param params the parameters in order; null if the service does not describe them
 * @param result the result, or an item of a stream; null for a notification
 * @param errors the errors of the method, without the errors of JSON-RPC itself
 * @param stream the form of a streamed result; null for a single result
 * @param sent whether the server sends the method to its clients, as a notification; otherwise it
 *     serves the method
 * @param json the object in the document, with the extensions ({@code x-...})
 * @param pointer the JSON pointer of the method in the document
 */
public record MethodDescriptor(
    String name,
    @Nullable String summary,
    @Nullable String description,
    @Nullable List<ContentDescriptor> params,
    @Nullable ContentDescriptor result,
    ParamStructure paramStructure,
    List<ErrorDescriptor> errors,
    List<ExamplePairing> examples,
    List<Tag> tags,
    boolean deprecated,
    @Nullable StreamDescriptor stream,
    boolean sent,
    Json json,
    String pointer) {
  static MethodDescriptor of(Node node, References references) {
    Node stream = node.get("x-stream");
    Node result = node.get("result");
    List<ContentDescriptor> params = contents(node, references);
    return new MethodDescriptor(
        node.string("name"),
        node.optionalString("summary"),
        node.optionalString("description"),
        node.flag("x-params-unknown") ? null : params,
        result == null
            ? null
            : references.one(result, ContentDescriptor.class, ContentDescriptor::of),
        ParamStructure.of(node),
        references.all(node, "errors", ErrorDescriptor.class, ErrorDescriptor::of),
        references.all(
            node, "examples", ExamplePairing.class, each -> ExamplePairing.of(each, references)),
        references.all(node, "tags", Tag.class, Tag::of),
        node.flag("deprecated"),
        stream == null ? null : StreamDescriptor.of(stream),
        false,
        node.value(),
        node.pointer());
  }

  private static List<ContentDescriptor> contents(Node node, References references) {
    List<ContentDescriptor> params =
        references.all(node, "params", ContentDescriptor.class, ContentDescriptor::of);
    Set<String> names = new HashSet<>();
    for (int i = 0; i < params.size(); i++) {
      String name = params.get(i).name();
      if (!names.add(name) && !node.isLenient()) {
        throw node.elements("params")
            .get(i)
            .fault("a second parameter with the name '" + name + "'");
      }
    }
    return params;
  }

  /**
   * Returns this method with a result of any form, for documents before OpenRPC 1.3, in which every
   * method has one.
   *
   * @throws OpenRpcException unless the document is lenient
   */
  MethodDescriptor withUnknownResult(boolean isLenient) {
    Node node = new Node(json, pointer, isLenient);
    if (!isLenient) {
      throw node.missing("result");
    }
    return with(ContentDescriptor.of(new Node(Json.EMPTY_OBJECT, pointer + "/result", true)), sent);
  }

  /**
   * Returns this method as one that the server sends. Its result is left out.
   *
   * @throws OpenRpcException if it has a result, unless the document is lenient
   */
  MethodDescriptor withSent(boolean isLenient) {
    if (result != null && !isLenient) {
      throw new OpenRpcException(pointer, "a notification that the server sends has a result");
    }
    return with(null, true);
  }

  private MethodDescriptor with(@Nullable ContentDescriptor result, boolean sent) {
    return new MethodDescriptor(
        name,
        summary,
        description,
        params,
        result,
        paramStructure,
        errors,
        examples,
        tags,
        deprecated,
        stream,
        sent,
        json,
        pointer);
  }

  /**
   * Returns the summary and the description, separated by an empty line; without the summary if the
   * description begins with it, as descriptions from Javadoc do. Empty if there is neither.
   */
  public String text() {
    return text(summary, description);
  }

  static String text(@Nullable String summary, @Nullable String description) {
    String head = summary == null ? "" : summary.strip();
    String body = description == null ? "" : description.strip();
    return body.startsWith(head) ? body : body.isEmpty() ? head : head + "\n\n" + body;
  }

  /** Returns whether the method is a notification: it has no result (OpenRPC 1.3). */
  public boolean isNotification() {
    return result == null;
  }
}
