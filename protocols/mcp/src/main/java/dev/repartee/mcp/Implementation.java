package dev.repartee.mcp;

import dev.repartee.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a client or server says of itself. Nobody verifies it, so nothing should depend on it.
 *
 * @param name a name for programs
 * @param version its version
 * @param title a name for people, or null
 * @param description what it is, or null
 * @param websiteUrl where to read more, or null
 * @param icons pictures of it
 */
public record Implementation(
    String name,
    String version,
    @Nullable String title,
    @Nullable String description,
    @Nullable String websiteUrl,
    List<Icon> icons) {
  /** Copies the icons. */
  public Implementation {
    icons = List.copyOf(icons);
  }

  /** One of which only name and version are said. */
  public static Implementation of(String name, String version) {
    return new Implementation(name, version, null, null, null, List.of());
  }

  static Implementation of(Fields fields) {
    return new Implementation(
        fields.string("name"),
        fields.string("version"),
        fields.optionalString("title"),
        fields.optionalString("description"),
        fields.optionalString("websiteUrl"),
        List.of());
  }

  Json json() {
    return new Members()
        .put("name", name)
        .put("version", version)
        .put("title", title)
        .put("description", description)
        .put("websiteUrl", websiteUrl)
        .putAll("icons", icons.stream().map(Icon::json).toList())
        .json();
  }
}
