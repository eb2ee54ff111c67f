package dev.repartee.openrpc;

import org.jspecify.annotations.Nullable;

/**
 * The title of a document and its version (OpenRPC, Info Object).
 *
 * @param version the version of the described API
 */
public record Info(String title, String version, @Nullable String description) {
  static Info of(Node node) {
    return new Info(
        node.string("title"), node.string("version"), node.optionalString("description"));
  }
}
