package dev.repartee.openrpc;

import dev.repartee.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * An error that a method may answer with (OpenRPC, Error Object). The errors of JSON-RPC itself
 * need not be listed.
 *
 * @param data the data of the error; null if the document has none. Many documents have a JSON
 *     Schema here
 */
public record ErrorDescriptor(
    long code, String message, @Nullable Json data) {
  static ErrorDescriptor of(Node node) {
    Node data = node.get("data");
    return new ErrorDescriptor(
        node.integer("code"), node.string("message"), data == null ? null : data.value());
  }
}
