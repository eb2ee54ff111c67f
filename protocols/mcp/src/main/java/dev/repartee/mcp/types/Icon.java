package dev.repartee.mcp.types;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An icon that clients may show beside a name (from 2025-11-25 on).
 *
 * @param src an {@code https:} or {@code data:} URI
 * @param mimeType the media type, or null
 * @param sizes sizes such as {@code 48x48} or {@code any}; empty if not stated
 * @param theme the background for the icon, {@code light} or {@code dark}; null for any
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

  /** Returns an icon with only a URI. */
  public static Icon of(String src) {
    return new Icon(src, null, List.of(), null);
  }

  /** Returns the JSON object in the form of the newest revision. */
  public Json json() {
    return new JsonObjectBuilder()
        .put("src", src)
        .put("mimeType", mimeType)
        .putUnlessEmpty("sizes", sizes)
        .put("theme", theme)
        .build();
  }
}
