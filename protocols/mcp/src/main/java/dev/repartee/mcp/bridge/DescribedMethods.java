package dev.repartee.mcp.bridge;

import dev.repartee.ProtocolException;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.schema.InputSchema;
import dev.repartee.openrpc.ContentDescriptor;
import dev.repartee.openrpc.MethodDescriptor;
import dev.repartee.openrpc.OpenRpc;
import dev.repartee.openrpc.OpenRpcException;
import dev.repartee.openrpc.ParamStructure;
import dev.repartee.openrpc.StreamDescriptor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes remote methods from the OpenRPC 1.x document of a service, which may be wrong: see {@link
 * OpenRpc#lenient}. Not thread-safe.
 */
final class DescribedMethods {
  /**
   * The maximum number of bytes by which the methods may exceed the size of the document. They
   * exceed it if references repeat parts of the document, because each method gets separate copies.
   */
  private static final int MAX_REPEATED = 32 << 20;

  private final OpenRpc document;
  private final String origin;
  private final int repeated;

  /** The number of bytes that may still be copied. */
  private long room;

  /**
   * Reads a document; {@code origin} names it in error messages.
   *
   * @throws ProtocolException if the document has no array {@code methods}
   */
  DescribedMethods(Json document, String origin) {
    this(document, origin, MAX_REPEATED);
  }

  /** Reads a document; {@code repeated} is the number of bytes that references may repeat. */
  DescribedMethods(Json document, String origin, int repeated) {
    try {
      this.document = OpenRpc.lenient(document);
    } catch (OpenRpcException e) {
      throw new ProtocolException(
          origin + " is not an OpenRPC document: the array 'methods' is missing");
    }
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

  /** Returns the target of a reference within the document; null if there is none. */
  @Nullable Json find(String reference) {
    return document.find(reference);
  }

  /**
   * Returns all methods except those reserved by JSON-RPC ({@code rpc.}).
   *
   * @throws ProtocolException if the document repeats too much of itself by references
   */
  List<RemoteMethod> methods() {
    List<RemoteMethod> known = new ArrayList<>();
    for (MethodDescriptor method : document.methods()) {
      copied(method.json());
      if (!method.name().startsWith("rpc.")) {
        known.add(method(method));
      }
    }
    return known;
  }

  private RemoteMethod method(MethodDescriptor method) {
    Definitions definitions = new Definitions(this);
    InputSchema input = new InputSchema();
    List<RemoteMethod.Position> positions = new ArrayList<>();
    List<ContentDescriptor> params = method.params();
    for (ContentDescriptor param : params == null ? List.<ContentDescriptor>of() : params) {
      count(param, method);
      String name = param.name().isEmpty() ? "arg" + positions.size() : param.name();
      positions.add(new RemoteMethod.Position(name, param.variadic()));
      input.add(name, definitions.take(schema(param)), param.required());
    }
    StreamDescriptor stream = method.stream();
    return new RemoteMethod(
        method.name(),
        method.text().isEmpty() ? null : method.text(),
        positions.isEmpty()
            ? RemoteMethod.unknown(method.name()).input() // any: many services list no params
            : InputSchema.asObject(definitions.addTo(input.members()).build()),
        stream == null ? output(method) : null, // in a stream it describes an item
        method.paramStructure() == ParamStructure.BY_POSITION ? positions : null,
        stream != null && !"partialResults".equals(stream.form()),
        method.isNotification());
  }

  /** Counts the copy of a part that a reference leads to; the others are parts of the method. */
  private void count(ContentDescriptor part, MethodDescriptor method) {
    if (!part.pointer().startsWith(method.pointer() + '/')) {
      copied(part.json());
    }
  }

  /** Returns the schema of a parameter, with the parameter's description. */
  private static Json schema(ContentDescriptor param) {
    Json schema = param.schema();
    String description = param.text();
    return description.isEmpty() || schema.get("description") != null || schema.equals(Json.FALSE)
        ? schema
        : JsonObjectBuilder.of(schema).put("description", description).build();
  }

  private @Nullable Json output(MethodDescriptor method) {
    ContentDescriptor result = method.result();
    if (result == null) {
      return null;
    }
    count(result, method);
    Json root = result.schema();
    Json target = document.resolved(root);
    if (!"object".equals(target.string("type"))) {
      return null;
    }
    if (!target.equals(root)) {
      copied(target);
    }
    Definitions definitions = new Definitions(this);
    return InputSchema.asObject(
        definitions.addTo(JsonObjectBuilder.of(definitions.take(target))).build());
  }
}
