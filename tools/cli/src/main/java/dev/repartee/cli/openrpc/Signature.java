package dev.repartee.cli.openrpc;

import dev.repartee.openrpc.ContentDescriptor;
import dev.repartee.openrpc.MethodDescriptor;
import dev.repartee.openrpc.ParamStructure;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The signature of a method in one line: {@code subtract(minuend: number, subtrahend: number) ->
 * number}. Braces around the parameters mean that the params are an object. An arrow before the name
 * means that the server sends it as a notification.
 */
final class Signature {
  private Signature() {}

  static String of(MethodDescriptor method) {
    ContentDescriptor result = method.result();
    String item = method.stream() == null ? "" : "stream of ";
    return (method.sent() ? "<- " : "") + method.name() + "(" + params(method) + ")"
        + (result == null ? "" : " -> " + item + TypeText.of(result.schema()));
  }

  private static String params(MethodDescriptor method) {
    List<ContentDescriptor> params = method.params();
    if (params == null) {
      return "...";
    }
    String text = params.stream().map(Signature::param).collect(Collectors.joining(", "));
    return method.paramStructure() == ParamStructure.BY_NAME && !params.isEmpty()
        ? "{" + text + "}"
        : text;
  }

  private static String param(ContentDescriptor param) {
    String type = TypeText.of(param.schema());
    return param.variadic()
        ? param.name() + "...: " + type.replaceFirst("\\[]$", "") // each is an element
        : param.name() + (param.required() ? "" : "?") + ": " + type;
  }

  /** Returns the first sentence about a method, or an empty text. */
  static String summary(MethodDescriptor method) {
    String summary = method.summary();
    String description = method.description();
    String text = summary != null ? summary : description == null ? "" : description;
    String first = text.strip().split("(?<=[.!?])\\s|\\R", 2)[0];
    return (method.deprecated() ? "(deprecated) " : "") + first;
  }
}
