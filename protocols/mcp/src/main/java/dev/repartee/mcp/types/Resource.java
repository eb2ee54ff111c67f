package dev.repartee.mcp.types;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A resource: data that clients read by its URI.
 *
 * @param uri the URI
 * @param name a name for programs
 * @param title a display name, or null
 * @param description a description for the model, or null
 * @param mimeType the media type, or null
 * @param size the size in bytes before any encoding, or null
 * @param annotations hints on how a client may use it, or null
 * @param icons the icons
 * @param meta further members for {@code _meta}, an object, or null
 */
public record Resource(
    String uri,
    String name,
    @Nullable String title,
    @Nullable String description,
    @Nullable String mimeType,
    @Nullable Long size,
    @Nullable Annotations annotations,
    List<Icon> icons,
    @Nullable Json meta) {
  /** Copies the icons. */
  public Resource {
    icons = List.copyOf(icons);
  }

  /** Returns a resource without title, size, annotations, icons and meta. */
  public static Resource of(String uri, String name, String description, String mimeType) {
    return new Resource(uri, name, null, description, mimeType, null, null, List.of(), null);
  }

  /** Returns the JSON object in the form of the newest revision. */
  public Json json() {
    return new JsonObjectBuilder()
        .put("uri", uri)
        .put("name", name)
        .put("title", title)
        .put("description", description)
        .put("mimeType", mimeType)
        .put("size", size)
        .put("annotations", annotations == null ? null : annotations.json())
        .putUnlessEmpty("icons", icons.stream().map(Icon::json).toList())
        .put("_meta", meta)
        .build();
  }
}
