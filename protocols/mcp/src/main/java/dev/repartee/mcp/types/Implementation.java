package dev.repartee.mcp.types;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The name and version of a client or server. They are not verified; do not base decisions on them.
 *
 * @param name a name for programs
 * @param version the version
 * @param title a display name, or null
 * @param description a description, or null
 * @param websiteUrl the URL of a website, or null
 * @param icons the icons
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

  /** Returns an implementation with only name and version. */
  public static Implementation of(String name, String version) {
    return new Implementation(name, version, null, null, null, List.of());
  }

  /** Returns the JSON object in the form of the newest revision. */
  public Json json() {
    return new JsonObjectBuilder()
        .put("name", name)
        .put("version", version)
        .put("title", title)
        .put("description", description)
        .put("websiteUrl", websiteUrl)
        .putUnlessEmpty("icons", icons.stream().map(Icon::json).toList())
        .build();
  }
}
