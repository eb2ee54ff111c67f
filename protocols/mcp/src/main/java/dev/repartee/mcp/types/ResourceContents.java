package dev.repartee.mcp.types;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a resource: either a text or bytes.
 *
 * @param uri the URI of the resource, or of the part of it with these contents
 * @param mimeType the media type, or null
 * @param text the text, or null
 * @param blob the bytes in Base64, or null
 * @param meta further members for {@code _meta}, an object, or null
 */
public record ResourceContents(
    String uri,
    @Nullable String mimeType,
    @Nullable String text,
    @Nullable String blob,
    @Nullable Json meta) {
  /**
   * Checks that either the text or the blob is present.
   *
   * @throws IllegalArgumentException if both or neither are present
   */
  public ResourceContents {
    if ((text == null) == (blob == null)) {
      throw new IllegalArgumentException("a resource holds either a text or a blob");
    }
  }

  /** Returns a text. */
  public static ResourceContents text(String uri, String mimeType, String text) {
    return new ResourceContents(uri, mimeType, text, null, null);
  }

  /** Returns bytes. They are encoded in Base64, not kept. */
  public static ResourceContents blob(String uri, String mimeType, byte[] bytes) {
    String encoded = Base64.getEncoder().encodeToString(bytes);
    return new ResourceContents(uri, mimeType, null, encoded, null);
  }

  /** Returns the JSON object in the form of the newest revision. */
  public Json json() {
    return new JsonObjectBuilder()
        .put("uri", uri)
        .put("mimeType", mimeType)
        .put("text", text)
        .put("blob", blob)
        .put("_meta", meta)
        .build();
  }
}
