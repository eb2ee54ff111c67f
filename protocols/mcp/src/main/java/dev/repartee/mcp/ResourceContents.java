package dev.repartee.mcp;

import dev.repartee.Json;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * What a resource holds: a text, or bytes.
 *
 * @param uri which resource it is, or which part of the one that was read
 * @param mimeType its media type, or null
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
  /** Refuses both or neither of text and blob. */
  public ResourceContents {
    if ((text == null) == (blob == null)) {
      throw new IllegalArgumentException("a resource holds either a text or a blob");
    }
  }

  /** A text. */
  public static ResourceContents text(String uri, String mimeType, String text) {
    return new ResourceContents(uri, mimeType, text, null, null);
  }

  /** Bytes, which are encoded and not kept. */
  public static ResourceContents blob(String uri, String mimeType, byte[] bytes) {
    String encoded = Base64.getEncoder().encodeToString(bytes);
    return new ResourceContents(uri, mimeType, null, encoded, null);
  }

  Json json() {
    return new Members()
        .put("uri", uri)
        .put("mimeType", mimeType)
        .put("text", text)
        .put("blob", blob)
        .put("_meta", meta)
        .json();
  }
}
