package dev.repartee.mcp;

import dev.repartee.Json;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Resources that are alike, by a template of their URIs (RFC 6570, level 1, and {@code {+name}} for a
 * part that may hold slashes).
 *
 * @param uriTemplate such as {@code weather://{city}/now}
 * @param name a name for programs
 * @param title a name for people, or null
 * @param description what they are, for a model, or null
 * @param mimeType the media type of all of them, or null
 * @param annotations how a client may use them, or null
 * @param icons pictures of them
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

  /** One of which the usual is said. */
  public static ResourceTemplate of(
      String uriTemplate, String name, String description, String mimeType) {
    return new ResourceTemplate(
        uriTemplate, name, null, description, mimeType, null, List.of(), null);
  }

  Json json() {
    return new Members()
        .put("uriTemplate", uriTemplate)
        .put("name", name)
        .put("title", title)
        .put("description", description)
        .put("mimeType", mimeType)
        .put("annotations", annotations == null ? null : annotations.json())
        .putAll("icons", icons.stream().map(Icon::json).toList())
        .put("_meta", meta)
        .json();
  }

  /** Reads a resource that a template describes. */
  @FunctionalInterface
  public interface Reader {
    /**
     * Reads it, as {@link Resource.Reader} does.
     *
     * @param uri what was asked for
     * @param variables what its parts are, decoded, by the names in the template
     * @throws dev.repartee.RpcException to answer with that error; {@link McpCall#notFound} for one that
     *     is not there
     */
    Object read(McpCall call, String uri, Map<String, String> variables) throws Exception;
  }
}
