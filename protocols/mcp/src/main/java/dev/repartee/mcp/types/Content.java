package dev.repartee.mcp.types;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** A content block of a tool result or a prompt message. The set is closed. */
public sealed interface Content {
  /** Returns the JSON object of the block in the newest revision. */
  Json json();

  /**
   * Returns the JSON object of the block in a revision. A block of a type that the revision does
   * not support becomes a text.
   */
  default Json json(Revision revision) {
    return json();
  }

  /** Returns a text block. */
  static Content text(String text) {
    return new Text(text, null, null);
  }

  /** Returns an image, such as {@code image/png}. The bytes are encoded in Base64, not kept. */
  static Content image(byte[] data, String mimeType) {
    return new Image(Base64.getEncoder().encodeToString(data), mimeType, null, null);
  }

  /**
   * Returns a sound, such as {@code audio/wav} (from 2025-03-26 on). The bytes are encoded in
   * Base64, not kept.
   */
  static Content audio(byte[] data, String mimeType) {
    return new Audio(Base64.getEncoder().encodeToString(data), mimeType, null, null);
  }

  /** Returns a resource with its contents. */
  static Content embedded(ResourceContents contents) {
    return new Embedded(contents, null, null);
  }

  /** Returns a link to a resource (from 2025-06-18 on; a text with the URI before). */
  static Content link(Resource resource) {
    return new Link(resource);
  }

  /**
   * A text block.
   *
   * @param text the text
   * @param annotations hints on how a client may use it, or null
   * @param meta further members for {@code _meta}, an object, or null
   */
  @Wired
  record Text(
      String text,
      @Nullable Annotations annotations,
      @Nullable Json meta) implements Content {
    @Override
    public Json json() {
      return block("text", new JsonObjectBuilder().put("text", text), annotations, meta);
    }
  }

  /**
   * An image.
   *
   * @param data the bytes in Base64
   * @param mimeType the media type
   * @param annotations hints on how a client may use it, or null
   * @param meta further members for {@code _meta}, an object, or null
   */
  @Wired
  record Image(
      String data,
      String mimeType,
      @Nullable Annotations annotations,
      @Nullable Json meta) implements Content {
    @Override
    public Json json() {
      JsonObjectBuilder writer =
          new JsonObjectBuilder().put("data", data).put("mimeType", mimeType);
      return block("image", writer, annotations, meta);
    }
  }

  /**
   * A sound.
   *
   * @param data the bytes in Base64
   * @param mimeType the media type
   * @param annotations hints on how a client may use it, or null
   * @param meta further members for {@code _meta}, an object, or null
   */
  @Wired
  record Audio(
      String data,
      String mimeType,
      @Nullable Annotations annotations,
      @Nullable Json meta) implements Content {
    @Override
    public Json json() {
      JsonObjectBuilder writer =
          new JsonObjectBuilder().put("data", data).put("mimeType", mimeType);
      return block("audio", writer, annotations, meta);
    }

    @Override
    public Json json(Revision revision) {
      return revision.isAtLeast(Revision.V2025_03_26)
          ? json()
          : Content.text("A sound of the type " + mimeType).json();
    }
  }

  /**
   * A resource with its contents.
   *
   * @param contents the contents
   * @param annotations hints on how a client may use it, or null
   * @param meta further members for {@code _meta}, an object, or null
   */
  @Wired
  record Embedded(
      ResourceContents contents,
      @Nullable Annotations annotations,
      @Nullable Json meta) implements Content {
    @Override
    public Json json() {
      return block(
          "resource", new JsonObjectBuilder().put("resource", contents.json()), annotations, meta);
    }
  }

  /**
   * A link to a resource.
   *
   * @param resource the resource
   */
  @Wired
  record Link(Resource resource) implements Content {
    @Override
    public Json json() {
      return JsonObjectBuilder.of(resource.json()).put("type", "resource_link").build();
    }

    @Override
    public Json json(Revision revision) {
      return revision.isAtLeast(Revision.V2025_06_18)
          ? json()
          : Content.text(resource.uri()).json();
    }
  }

  private static Json block(
      String type,
      JsonObjectBuilder writer,
      @Nullable Annotations annotations,
      @Nullable Json meta) {
    return writer
        .put("type", type)
        .put("annotations", annotations == null ? null : annotations.json())
        .put("_meta", meta)
        .build();
  }
}
