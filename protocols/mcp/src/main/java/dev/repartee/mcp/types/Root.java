package dev.repartee.mcp.types;

import dev.repartee.mcp.wire.JsonObjectReader;
import org.jspecify.annotations.Nullable;

/**
 * A root: a directory or other place that the client works on.
 *
 * @param uri the URI, such as {@code file:///home/ann/project}
 * @param name a display name, or null
 */
public record Root(String uri, @Nullable String name) {
  static Root of(JsonObjectReader reader) {
    return new Root(reader.string("uri"), reader.optionalString("name"));
  }
}
