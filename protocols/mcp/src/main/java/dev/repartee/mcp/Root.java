package dev.repartee.mcp;

import org.jspecify.annotations.Nullable;

/**
 * A folder or the like that the client works on.
 *
 * @param uri such as {@code file:///home/ann/project}
 * @param name a name for people, or null
 */
public record Root(String uri, @Nullable String name) {
  static Root of(Fields fields) {
    return new Root(fields.string("uri"), fields.optionalString("name"));
  }
}
