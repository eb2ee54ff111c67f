package dev.repartee;

import dev.repartee.access.Access;
import dev.repartee.access.Allow;
import dev.repartee.access.Principal;
import dev.repartee.json.Json;
import dev.repartee.json.JsonTypes;
import dev.repartee.json.JsonWriter;
import dev.repartee.json.SchemaDefinitions;
import dev.repartee.json.UnsafeJson;
import dev.repartee.stream.Streaming;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@code rpc.discover}: an OpenRPC document with all known facts about the methods.
 * {@code components/schemas} describes each named type once. The document for a caller has only the
 * methods that this caller may call.
 */
final class Discovery {
  /** The description of {@code rpc.status} before the schema of its result. */
  private static final String STATUS = "{\"name\":\"rpc.status\",\"description\":\"Returns the load"
      + " of this connection and of its server\",\"params\":[],"
      + "\"result\":{\"name\":\"status\",\"schema\":";

  /**
   * The maximum number of documents to keep. Each combination of roles and scopes may have its own.
   */
  private static final int KEPT = 16;

  private final Service service;
  private final boolean withStatus;

  /** Null if everybody may call everything. */
  private final @Nullable Access access;

  /**
   * The documents by their views. Empty before the first call: peers with a service each
   * would all keep a document. Two threads may both write the same one.
   */
  private final Map<View, Json> documents = new ConcurrentHashMap<>(2);

  /** The parts of the service that a caller may see. */
  private record View(List<RpcMethod> methods, List<RpcMethod> sent, boolean status) {}

  /**
   * Creates the description of a service.
   *
   * @param withStatus whether {@code rpc.status} is offered. Of the methods of this library only
   *     this one is described, since the others return no object
   */
  Discovery(Service service, boolean withStatus, Access access) {
    this.service = service;
    this.access = Permissions.restricts(service, access) ? access : null;
    this.withStatus = withStatus;
  }

  /** Returns the document for a caller, null for one that is not authenticated. */
  Json document(@Nullable Principal caller) {
    View view = new View(
        visible(service.methods(), caller),
        visible(service.sent(), caller),
        withStatus && isVisible(Options.Builtin.STATUS.method(), null, caller));
    Json known = documents.get(view);
    if (known == null) {
      known = new Writer(view).write();
      if (documents.size() >= KEPT) {
        documents.clear();
      }
      documents.put(view, known);
    }
    return known;
  }

  private List<RpcMethod> visible(Collection<RpcMethod> methods, @Nullable Principal caller) {
    return methods.stream()
        .filter(method -> isVisible(method.name(), method.allow(), caller))
        .toList();
  }

  private boolean isVisible(String method, @Nullable Allow allow, @Nullable Principal caller) {
    return access == null || access.allows(caller, method, allow);
  }

  /** Writes one document. */
  private final class Writer {
    private final View view;
    private final JsonWriter out = new JsonWriter();
    private final SchemaDefinitions definitions = new SchemaDefinitions("#/components/schemas/");

    Writer(View view) {
      this.view = view;
    }

    Json write() {
      out.ascii("{\"openrpc\":\"1.4.1\",\"info\":{\"title\":").string(service.title());
      out.ascii(",\"version\":").string(service.version()).ascii("},\"methods\":[");
      boolean first = true;
      for (RpcMethod method : view.methods) {
        out.ascii(first ? "" : ",");
        first = false;
        describe(method, structure(method));
      }
      if (view.status) {
        out.ascii(first ? "" : ",").ascii(STATUS).json(StatusSchema.SCHEMA).ascii("}}");
      }
      out.put(']');
      if (!view.sent.isEmpty()) {
        list("x-notifications", view.sent, method -> describe(method, sentStructure(method)));
      }
      Map<String, Json> schemas = definitions.schemas();
      if (!schemas.isEmpty()) {
        out.ascii(",\"components\":{\"schemas\":").json(Json.of(schemas)).put('}');
      }
      return UnsafeJson.wrap(out.put('}').toBytes());
    }

    private static String structure(RpcMethod method) {
      return method.isByPosition() ? "by-position" : method.isByName() ? "by-name" : "either";
    }

    /** Returns the structure in which a proxy sends the params. */
    private static String sentStructure(RpcMethod method) {
      Rpc rpc = method.annotation(Rpc.class);
      return method.isByName() || rpc != null && rpc.named() ? "by-name" : "by-position";
    }

    private void describe(RpcMethod method, String structure) {
      out.ascii("{\"name\":").string(method.name());
      MethodDocs docs = method.docs();
      text("summary", docs.summary());
      text("description", docs.description());
      if (!docs.tags().isEmpty()) {
        list("tags", docs.tags(), tag -> out.ascii("{\"name\":").string(tag).put('}'));
      }
      out.ascii(docs.deprecated() ? ",\"deprecated\":true" : "");
      if (!structure.equals("either")) { // the default
        out.ascii(",\"paramStructure\":\"").ascii(structure).put('"');
      }
      List<ParamDescriptor> params = ParamDescriptor.of(method, definitions);
      params(params);
      if (!method.isNotification()) { // OpenRPC from 1.3 on: no result means a notification
        result(method);
      }
      if (!docs.errors().isEmpty()) {
        list("errors", docs.errors(), error -> error(method, error));
      }
      if (!docs.examples().isEmpty()) {
        list("examples", docs.examples(), example -> example(method, params, example));
      }
      if (method.streaming() != null) {
        describe(method.streaming());
      }
      out.put('}');
    }

    /** Writes a member with a text, unless the text is empty. */
    private void text(String name, String text) {
      if (!text.isEmpty()) {
        out.ascii(",\"").ascii(name).ascii("\":").string(text);
      }
    }

    /** Writes a member with an array. */
    private <T> void list(String name, Iterable<T> elements, Consumer<T> writer) {
      out.ascii(",\"").ascii(name).ascii("\":[");
      boolean first = true;
      for (T element : elements) {
        out.ascii(first ? "" : ",");
        first = false;
        writer.accept(element);
      }
      out.put(']');
    }

    private void params(@Nullable List<ParamDescriptor> params) {
      if (params == null) {
        out.ascii(",\"x-params-unknown\":true"); // OpenRPC demands the member params all the same
      }
      list("params", params == null ? List.of() : params, this::param);
    }

    private void param(ParamDescriptor param) {
      out.ascii("{\"name\":").string(param.name());
      text("description", param.description());
      out.ascii(",\"required\":").bool(param.required());
      out.ascii(param.deprecated() ? ",\"deprecated\":true" : "");
      if (param.variadic()) {
        out.ascii(",\"x-variadic\":true"); // by position, each element is a separate param
      }
      out.ascii(",\"schema\":").json(param.schema()).put('}');
    }

    private void result(RpcMethod method) {
      out.ascii(",\"result\":{\"name\":").string(resultName(method));
      if (method.handler() instanceof TypedMethod typed) {
        text("description", typed.javadoc("#return"));
      }
      Json schema =
          method.result() == null ? Json.TRUE : method.resultType().declared().schema(definitions);
      out.ascii(",\"schema\":").json(schema).put('}');
    }

    private static String resultName(RpcMethod method) {
      return method.streaming() == null ? "result" : "item";
    }

    private void error(RpcMethod method, MethodDocs.Failure error) {
      out.ascii("{\"code\":").number(error.code()).ascii(",\"message\":").string(error.message());
      if (error.data() != Void.class) {
        JsonTypes types = method.resultType().types();
        out.ascii(",\"data\":").json(types.of(error.data()).schema(definitions));
      }
      out.put('}');
    }

    private void example(
        RpcMethod method, @Nullable List<ParamDescriptor> params, MethodDocs.Example example) {
      out.ascii("{\"name\":").string(example.name());
      list(
          "params",
          example.values(method, params).entrySet(),
          param -> value(param.getKey(), param.getValue()));
      if (!method.isNotification()) {
        out.ascii(",\"result\":");
        value(resultName(method), example.result() == null ? Json.NULL : example.result());
      }
      out.put('}');
    }

    private void value(String name, Json value) {
      out.ascii("{\"name\":").string(name).ascii(",\"value\":").json(value).put('}');
    }

    /** Writes the extension member {@code x-stream} of a streamed method. */
    private void describe(Streaming streaming) {
      out.ascii(",\"x-stream\":{\"form\":");
      switch (streaming.form()) {
        case CALL -> out.string("call");
        case PARTIAL_RESULTS -> out.string("partialResults");
        case SUBSCRIPTION -> {
          out.string("subscription").ascii(",\"notification\":").string(streaming.notification());
          out.ascii(",\"unsubscribe\":").string(streaming.unsubscribe());
        }
      }
      out.put('}');
    }
  }
}
