package dev.repartee;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonType;
import dev.repartee.json.JsonTypes;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The facts that {@code rpc.discover} reports about a method beside its types.
 *
 * @param summary the summary, or empty
 * @param description the description, or empty
 * @param deprecated whether callers should stop using the method
 */
record MethodDocs(
    String summary,
    String description,
    List<String> tags,
    boolean deprecated,
    List<Failure> errors,
    List<Example> examples) {
  static final MethodDocs NONE = new MethodDocs("", "", List.of(), false, List.of(), List.of());

  /**
   * An error that the method may answer with.
   *
   * @param data the type of the data; {@code Void} for none
   */
  record Failure(int code, String message, Class<?> data) {}

  /**
   * An example of a call.
   *
   * @param params an array or an object; null for a call without params
   * @param result the result; null if none is stated
   */
  record Example(
      String name, @Nullable Json params, @Nullable Json result) {
    /**
     * Reads an example.
     *
     * @param params the JSON of the params, or empty
     * @param result the JSON of the result, or empty
     * @throws IllegalArgumentException if a text is not JSON, or the params are neither array nor
     *     object
     */
    static Example of(String name, String params, String result) {
      Json given = parse(name, "params", params);
      if (given != null && given.kind() != Json.Kind.ARRAY && given.kind() != Json.Kind.OBJECT) {
        throw new IllegalArgumentException("the example '" + name
            + "': params are an array or an object, not " + given.kind().phrase());
      }
      return new Example(name, given, parse(name, "result", result));
    }

    /**
     * Checks that params and result fit a method.
     *
     * @param check checks the params
     * @param type reads the result
     * @throws IllegalArgumentException if they do not fit
     */
    void requireFit(Consumer<@Nullable Json> check, JsonType<?> type) {
      try {
        check.accept(params);
      } catch (RpcException e) {
        throw new IllegalArgumentException(
            "the example '" + name + "': params do not fit: " + reason(e), e);
      }
      try {
        (result == null ? Json.NULL : result).as(type);
      } catch (JsonException e) {
        throw new IllegalArgumentException(
            "the example '" + name + "': the result does not fit: " + e.getMessage(), e);
      } catch (IllegalStateException e) {
        // A binder that only writes the type cannot check it.
      }
    }

    /**
     * Returns the values of the params by name, in order. A param without a name is called by its
     * position, from {@code arg0} on.
     *
     * @param params the params of the method; null if they are not known
     */
    Map<String, Json> values(RpcMethod method, @Nullable List<ParamDescriptor> params) {
      Map<String, Json> values = new LinkedHashMap<>();
      if (this.params == null) {
        return values;
      } else if (this.params.kind() == Json.Kind.OBJECT) {
        boolean whole = method.handler() instanceof TypedMethod typed && typed.isWhole(this.params);
        return whole && params != null
            ? Map.of(params.get(0).name(), this.params)
            : this.params.members();
      }
      List<Json> given = this.params.elements();
      for (int i = 0; i < given.size(); i++) {
        ParamDescriptor param = params == null || i >= params.size() ? null : params.get(i);
        if (param != null && param.variadic()) {
          values.put(param.name(), Json.of(given.subList(i, given.size())));
          break;
        }
        values.put(param == null ? "arg" + i : param.name(), given.get(i));
      }
      return values;
    }

    private static String reason(RpcException e) {
      Json data = e.error().data();
      return data != null && data.kind() == Json.Kind.STRING
          ? data.as(String.class)
          : String.valueOf(e.getMessage());
    }

    private static @Nullable Json parse(String name, String what, String json) {
      try {
        return json.isEmpty() ? null : Json.parse(json);
      } catch (JsonException e) {
        throw new IllegalArgumentException(
            "the example '" + name + "': " + what + " is not JSON: " + e.getMessage(), e);
      }
    }
  }

  /** Checks that no two errors have one code, as OpenRPC demands. */
  MethodDocs {
    tags = List.copyOf(tags);
    errors = List.copyOf(errors);
    examples = List.copyOf(examples);
    Set<Integer> codes = new HashSet<>();
    for (Failure error : errors) {
      if (!codes.add(error.code())) {
        throw new IllegalArgumentException("two errors have the code " + error.code());
      }
    }
  }

  /**
   * Returns this if it has a description; otherwise with the description and summary of a Javadoc.
   *
   * @param javadoc returns the texts, see {@link dev.repartee.internal.reflect.Javadoc#method}
   */
  MethodDocs orJavadoc(UnaryOperator<String> javadoc) {
    String text = description.isEmpty() ? javadoc.apply("") : "";
    return text.isEmpty()
        ? this
        : new MethodDocs(
            summary.isEmpty() ? javadoc.apply("#summary") : summary,
            text,
            tags,
            deprecated,
            errors,
            examples);
  }

  /**
   * Checks that the data of the errors can be described.
   *
   * @throws IllegalArgumentException if the registry does not support a type
   */
  void requireTypes(JsonTypes types) {
    errors.forEach(error -> types.of(error.data()));
  }

  /**
   * Reads the annotations of a method.
   *
   * @param method the Java method that is served
   * @param described the method with the annotations, which it may implement
   * @throws IllegalArgumentException if an annotation is wrong
   */
  static MethodDocs of(Method method, Method described, @Nullable Rpc rpc) {
    List<Failure> errors = new ArrayList<>();
    for (Rpc.Error error : described.getAnnotationsByType(Rpc.Error.class)) {
      errors.add(new Failure(error.code(), error.message(), error.data()));
    }
    List<Example> examples = new ArrayList<>();
    for (Rpc.Example example : described.getAnnotationsByType(Rpc.Example.class)) {
      examples.add(Example.of(example.name(), example.params(), example.result()));
    }
    return new MethodDocs(
        rpc == null ? "" : rpc.summary(),
        rpc == null ? "" : rpc.description(),
        rpc == null ? List.of() : List.of(rpc.tags()),
        Stream.of(method, described).anyMatch(each -> each.isAnnotationPresent(Deprecated.class)),
        errors,
        examples);
  }
}
