package dev.repartee.mcp;

import dev.repartee.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Something that can be read by a URI.
 *
 * @param uri what it is read by
 * @param name a name for programs
 * @param title a name for people, or null
 * @param description what it is, for a model, or null
 * @param mimeType its media type, or null
 * @param size its bytes, before any encoding, or null
 * @param annotations how a client may use it, or null
 * @param icons pictures of it
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

  /** One of which the usual is said. */
  public static Resource of(String uri, String name, String description, String mimeType) {
    return new Resource(uri, name, null, description, mimeType, null, null, List.of(), null);
  }

  Json json() {
    return new Members()
        .put("uri", uri)
        .put("name", name)
        .put("title", title)
        .put("description", description)
        .put("mimeType", mimeType)
        .put("size", size)
        .put("annotations", annotations == null ? null : annotations.json())
        .putAll("icons", icons.stream().map(Icon::json).toList())
        .put("_meta", meta)
        .json();
  }

  /** Reads a resource. */
  @FunctionalInterface
  public interface Reader {
    /**
     * Reads it, on a thread that may block.
     *
     * @return {@link ResourceContents}, a list of them, a text (for the resource's own URI and type), or
     *     a {@link java.util.concurrent.CompletionStage} of one of these
     * @throws dev.repartee.RpcException to answer with that error; anything else is answered -32603
     */
    Object read(McpCall call) throws Exception;
  }
}
