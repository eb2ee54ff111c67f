package dev.repartee.openrpc.generate;

import dev.repartee.json.Json;
import dev.repartee.openrpc.ContentDescriptor;
import dev.repartee.openrpc.MethodDescriptor;
import dev.repartee.openrpc.OpenRpc;
import dev.repartee.openrpc.generate.SchemaShape.Located;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a document as an {@link Api}. Methods whose names start with {@code rpc.} are left out: they
 * belong to the software of the server (JSON-RPC 2.0, section 8), not to the API.
 */
final class ApiReader {
  /** The URI in examples if the document names no server. */
  private static final String SERVER = "http://localhost:8080/";

  private final SchemaReader schemas;

  private ApiReader(SchemaReader schemas) {
    this.schemas = schemas;
  }

  static Api read(OpenRpc document) {
    SchemaReader schemas = new SchemaReader(document);
    ApiReader reader = new ApiReader(schemas);
    List<Api.Operation> operations = reader.operations(document.methods());
    List<Api.Operation> notifications = reader.operations(document.notifications());
    Simplified simplified = new Simplified(schemas.parts());
    List<Declaration> declarations = schemas.declarations().stream()
        .filter(each -> !simplified.isReplaced(each))
        .toList();
    declarations.forEach(simplified::define);
    return new Api(
        document.info(),
        server(document),
        operations.stream().map(each -> simplified(each, simplified)).toList(),
        notifications.stream().map(each -> simplified(each, simplified)).toList(),
        declarations);
  }

  private List<Api.Operation> operations(List<MethodDescriptor> methods) {
    return methods.stream()
        .filter(method -> !method.name().startsWith("rpc."))
        .map(this::operation)
        .toList();
  }

  private static Api.Operation simplified(Api.Operation operation, Simplified simplified) {
    List<Api.Parameter> parameters = operation.parameters();
    Type result = operation.result();
    return new Api.Operation(
        operation.method(),
        operation.doc(),
        parameters == null
            ? null
            : parameters.stream()
                .map(each -> new Api.Parameter(
                    each.name(),
                    simplified.type(each.type()),
                    each.required(),
                    each.variadic(),
                    each.doc()))
                .toList(),
        result == null ? null : simplified.type(result),
        operation.resultDoc());
  }

  private static String server(OpenRpc document) {
    Json servers = document.json().get("servers");
    Json first = servers == null ? null : servers.at(0);
    String url = first == null ? null : first.string("url");
    return url == null || !url.matches("[a-z]+:.*") ? SERVER : url;
  }

  private Api.Operation operation(MethodDescriptor method) {
    List<ContentDescriptor> params = method.params();
    List<Api.Parameter> parameters = null;
    if (params != null) {
      parameters = new ArrayList<>();
      for (ContentDescriptor param : params) {
        parameters.add(new Api.Parameter(
            param.name(),
            type(param, SchemaReader.within(method.name(), param.name())),
            param.required(),
            param.variadic(),
            doc(param)));
      }
    }
    ContentDescriptor result = method.result();
    return new Api.Operation(
        method,
        Doc.of(method.deprecated(), method.text()),
        parameters,
        result == null ? null : type(result, method.name() + " result"),
        result == null ? Doc.NONE : doc(result));
  }

  private Type type(ContentDescriptor value, String name) {
    return schemas.type(new Located(value.schema(), value.pointer()), name);
  }

  private static Doc doc(ContentDescriptor value) {
    return Doc.ofSchema(
        value.schema(), value.name(), value.summary(), value.description(), value.deprecated());
  }
}
