package dev.repartee.a2a.types;

import dev.repartee.json.Json;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A piece of the content of a message or artifact (section 4.1.6). */
public sealed interface Part {
  /** Returns the metadata, a JSON object, or null. */
  @Nullable Json metadata();

  /** Returns the name of the file, or null. In version 0.3 only files have it. */
  @Nullable String filename();

  /** Returns the media type, or null if it is not known. In version 0.3 only files have it. */
  @Nullable String mediaType();

  /** Returns a part with this text. */
  static Text text(String text) {
    return new Text(text, null, null, null);
  }

  /** Returns a part with structured data; in version 0.3 an object. */
  static Data data(Json data) {
    return new Data(data, null, null, null);
  }

  /** Returns a part with the content of a file. The array is not copied. */
  static Raw file(String filename, String mediaType, byte[] content) {
    return new Raw(content, null, filename, mediaType);
  }

  /** Returns a part with the address of a file. */
  static Url link(String filename, String mediaType, String url) {
    return new Url(url, null, filename, mediaType);
  }

  /** Text. */
  record Text(
      String text,
      @Nullable Json metadata,
      @Nullable String filename,
      @Nullable String mediaType) implements Part {}

  /** The content of a file; in JSON a string in Base64. The array must not be changed. */
  record Raw(
      byte[] raw,
      @Nullable Json metadata,
      @Nullable String filename,
      @Nullable String mediaType) implements Part {
    /** Returns whether the other object is a part with the same bytes and the same properties. */
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Raw it
          && Arrays.equals(raw, it.raw)
          && Objects.equals(metadata, it.metadata)
          && Objects.equals(filename, it.filename)
          && Objects.equals(mediaType, it.mediaType);
    }

    @Override
    public int hashCode() {
      return Objects.hash(Arrays.hashCode(raw), metadata, filename, mediaType);
    }
  }

  /** The address of a file. */
  record Url(
      String url,
      @Nullable Json metadata,
      @Nullable String filename,
      @Nullable String mediaType) implements Part {}

  /** Structured data: any JSON value. */
  record Data(
      Json data,
      @Nullable Json metadata,
      @Nullable String filename,
      @Nullable String mediaType) implements Part {}
}
