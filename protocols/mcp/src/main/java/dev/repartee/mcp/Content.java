package dev.repartee.mcp;

import dev.repartee.Json;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** A piece of what tools answer and prompts say. The set is closed. */
public sealed interface Content {
  /** Its form on the wire. */
  Json json();

  /** The same in that revision: what that does not know becomes a text. */
  default Json json(Revision revision) {
    return json();
  }

  /** A text. */
  static Content text(String text) {
    return new Text(text, null, null);
  }

  /** A picture, such as {@code image/png}; the bytes are encoded, not kept. */
  static Content image(byte[] data, String mimeType) {
    return new Image(Base64.getEncoder().encodeToString(data), mimeType, null, null);
  }

  /** A sound, such as {@code audio/wav} (from 2025-03-26 on); the bytes are encoded, not kept. */
  static Content audio(byte[] data, String mimeType) {
    return new Audio(Base64.getEncoder().encodeToString(data), mimeType, null, null);
  }

  /** A resource with what it holds. */
  static Content embedded(ResourceContents contents) {
    return new Embedded(contents, null, null);
  }

  /** A resource by its URI (from 2025-06-18 on). */
  static Content link(Resource resource) {
    return new Link(resource);
  }

  /**
   * A text.
   *
   * @param text the text
   * @param annotations how a client may use it, or null
   * @param meta further members for {@code _meta}, an object, or null
   */
  @Wired
  record Text(
      String text,
      @Nullable Annotations annotations,
      @Nullable Json meta) implements Content {
    @Override
    public Json json() {
      return block("text", new Members().put("text", text), annotations, meta);
    }
  }

  /**
   * A picture.
   *
   * @param data its bytes in Base64
   * @param mimeType its media type
   * @param annotations how a client may use it, or null
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
      Members members = new Members().put("data", data).put("mimeType", mimeType);
      return block("image", members, annotations, meta);
    }
  }

  /**
   * A sound.
   *
   * @param data its bytes in Base64
   * @param mimeType its media type
   * @param annotations how a client may use it, or null
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
      Members members = new Members().put("data", data).put("mimeType", mimeType);
      return block("audio", members, annotations, meta);
    }

    @Override
    public Json json(Revision revision) {
      return revision.isAtLeast(Revision.V2025_03_26)
          ? json()
          : Content.text("A sound of the type " + mimeType).json();
    }
  }

  /**
   * A resource with what it holds.
   *
   * @param contents what it holds
   * @param annotations how a client may use it, or null
   * @param meta further members for {@code _meta}, an object, or null
   */
  @Wired
  record Embedded(
      ResourceContents contents,
      @Nullable Annotations annotations,
      @Nullable Json meta) implements Content {
    @Override
    public Json json() {
      return block("resource", new Members().put("resource", contents.json()), annotations, meta);
    }
  }

  /**
   * A resource by its URI.
   *
   * @param resource what is known of it
   */
  @Wired
  record Link(Resource resource) implements Content {
    @Override
    public Json json() {
      return Members.of(resource.json()).put("type", "resource_link").json();
    }

    @Override
    public Json json(Revision revision) {
      return revision.isAtLeast(Revision.V2025_06_18)
          ? json()
          : Content.text(resource.uri()).json();
    }
  }

  private static Json block(
      String type, Members members, @Nullable Annotations annotations, @Nullable Json meta) {
    return members
        .put("type", type)
        .put("annotations", annotations == null ? null : annotations.json())
        .put("_meta", meta)
        .json();
  }
}
