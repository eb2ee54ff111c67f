package dev.repartee;

import dev.repartee.json.Json;
import dev.repartee.json.SchemaDefinitions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A param in the document of {@code rpc.discover}.
 *
 * @param variadic whether each further positional argument is an element of its value
 * @param schema the schema, which refers to named types
 * @param description the description, or empty
 * @param deprecated whether callers should stop passing it
 */
record ParamDescriptor(
    String name,
    boolean required,
    boolean variadic,
    Json schema,
    String description,
    boolean deprecated) {
  /**
   * Returns the params of a method; null if they are not known. Required ones are first, as OpenRPC
   * demands: only params by name can have another order in Java.
   */
  static @Nullable List<ParamDescriptor> of(RpcMethod method, SchemaDefinitions definitions) {
    WholeParams whole = method.handler() instanceof BindingHandler binding ? binding.whole() : null;
    if (whole != null) {
      return of(whole, definitions);
    } else if (method.parameters() == null) {
      return null;
    }
    List<ParamDescriptor> params = new ArrayList<>();
    if (method.handler() instanceof TypedMethod typed) {
      for (Signature.Argument argument : typed.declared()) {
        String javadoc = argument.description().isEmpty() ? typed.javadocOf(params.size()) : "";
        params.add(of(argument, argument.description() + javadoc, definitions));
      }
    }
    return params;
  }

  private static ParamDescriptor of(
      Signature.Argument argument, String description, SchemaDefinitions definitions) {
    return new ParamDescriptor(
        argument.name(),
        argument.required(),
        argument.variadic(),
        argument.type().schema(definitions),
        description,
        argument.deprecated());
  }

  private static @Nullable List<ParamDescriptor> of(
      WholeParams whole, SchemaDefinitions definitions) {
    Map<String, Json> members = whole.members(definitions);
    if (members == null) {
      return null;
    }
    List<ParamDescriptor> required = new ArrayList<>();
    List<ParamDescriptor> optional = new ArrayList<>();
    members.forEach((name, schema) -> {
      String text = schema.string("description");
      boolean must = whole.requires(name);
      (must ? required : optional)
          .add(new ParamDescriptor(
              name,
              must,
              false,
              schema,
              text == null ? "" : text,
              Json.TRUE.equals(schema.get("deprecated"))));
    });
    required.addAll(optional);
    return required;
  }
}
