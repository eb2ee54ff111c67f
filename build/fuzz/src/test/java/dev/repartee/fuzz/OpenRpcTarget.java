package dev.repartee.fuzz;

import static dev.repartee.fuzz.Check.check;
import static dev.repartee.fuzz.Check.same;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.openrpc.MethodDescriptor;
import dev.repartee.openrpc.OpenRpc;
import dev.repartee.openrpc.OpenRpcDiff;
import dev.repartee.openrpc.OpenRpcException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks that a document is read, or refused in one sentence with a pointer; that the lenient reader
 * reads more; and that a document does not differ from itself.
 */
final class OpenRpcTarget {
  private OpenRpcTarget() {}

  static void run(byte[] input) {
    Json json;
    try {
      json = Json.parse(input);
    } catch (JsonException e) {
      return;
    }
    OpenRpc document = strict(json);
    OpenRpc lenient = lenient(json);
    if (document == null) {
      return;
    }
    check(lenient != null, "the lenient reader refuses a valid document");
    same("the methods", names(document), names(lenient));
    same("the changes", List.of(), OpenRpcDiff.between(document, document));
    for (MethodDescriptor method : document.methods()) {
      if (method.result() != null) {
        document.standalone(method.result());
      }
      if (method.params() != null) {
        method.params().forEach(document::standalone);
      }
    }
    merge(document);
  }

  private static @Nullable OpenRpc strict(Json json) {
    try {
      return OpenRpc.of(json);
    } catch (OpenRpcException e) {
      check(e.pointer().isEmpty() || e.pointer().startsWith("/"), "the pointer " + e.pointer());
      return null;
    }
  }

  private static @Nullable OpenRpc lenient(Json json) {
    try {
      return OpenRpc.lenient(json);
    } catch (OpenRpcException e) {
      Json methods = json.get("methods");
      check(methods == null || methods.kind() != Json.Kind.ARRAY, e.getMessage());
      return null;
    }
  }

  private static List<String> names(OpenRpc document) {
    return document.methods().stream()
        .map(MethodDescriptor::name)
        .filter(name -> !name.isEmpty())
        .toList();
  }

  private static void merge(OpenRpc document) {
    try {
      OpenRpc merged = OpenRpc.merge(document.info(), Map.of("a.", document));
      same("the merged methods", document.methods().size(), merged.methods().size());
    } catch (OpenRpcException e) {
      check(e.getMessage().contains("not merged"), e.getMessage());
    }
  }
}
