package dev.repartee.mcp.types;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A resource template: a family of resources whose URIs match a URI template. Supports RFC 6570
 * level 1, and {@code {+name}} for a variable that may contain slashes.
 *
 * @param uriTemplate the URI template, such as {@code weather://{city}/now}
 * @param name a name for programs
 * @param title a display name, or null
 * @param description a description for the model, or null
 * @param mimeType the media type of all resources of the family, or null
 * @param annotations hints on how a client may use them, or null
 * @param icons the icons
 * @param meta further members for {@code _meta}, an object, or null
 */
public record ResourceTemplate(
    String uriTemplate,
    String name,
    @Nullable String title,
    @Nullable String description,
    @Nullable String mimeType,
    @Nullable Annotations annotations,
    List<Icon> icons,
    @Nullable Json meta) {
  /** Copies the icons. */
  public ResourceTemplate {
    icons = List.copyOf(icons);
  }

  /** Returns a template without title, annotations, icons and meta. */
  public static ResourceTemplate of(
      String uriTemplate, String name, String description, String mimeType) {
    return new ResourceTemplate(
        uriTemplate, name, null, description, mimeType, null, List.of(), null);
  }

  /** Returns the JSON object in the form of the newest revision. */
  public Json json() {
    return new JsonObjectBuilder()
        .put("uriTemplate", uriTemplate)
        .put("name", name)
        .put("title", title)
        .put("description", description)
        .put("mimeType", mimeType)
        .put("annotations", annotations == null ? null : annotations.json())
        .putUnlessEmpty("icons", icons.stream().map(Icon::json).toList())
        .put("_meta", meta)
        .build();
  }
}
