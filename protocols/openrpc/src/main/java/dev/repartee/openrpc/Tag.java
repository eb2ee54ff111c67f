package dev.repartee.openrpc;

import org.jspecify.annotations.Nullable;

/** A group of methods (OpenRPC, Tag Object). */
public record Tag(String name, @Nullable String description) {
  static Tag of(Node node) {
    String description = node.optionalString("description");
    return new Tag(
        node.string("name"), description == null ? node.optionalString("summary") : description);
  }
}
