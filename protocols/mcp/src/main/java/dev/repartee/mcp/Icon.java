package dev.repartee.mcp;

import dev.repartee.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A picture that clients may show beside a name (from 2025-11-25 on).
 *
 * @param src an {@code https:} or {@code data:} URI
 * @param mimeType its media type, or null
 * @param sizes such as {@code 48x48} or {@code any}; empty where nothing is said
 * @param theme {@code light} or {@code dark}, the background that it is for, or null for any
 */
public record Icon(
    String src,
    @Nullable String mimeType,
    List<String> sizes,
    @Nullable String theme) {
  /** Copies the sizes. */
  public Icon {
    sizes = List.copyOf(sizes);
  }

  /** An icon of which only the place is said. */
  public static Icon of(String src) {
    return new Icon(src, null, List.of(), null);
  }

  Json json() {
    return new Members()
        .put("src", src)
        .put("mimeType", mimeType)
        .putAll("sizes", sizes)
        .put("theme", theme)
        .json();
  }
}
