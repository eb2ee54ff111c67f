package dev.repartee.acp.runs;

import dev.repartee.Param;
import dev.repartee.json.Json;
import dev.repartee.json.UnknownMembers;
import java.util.Optional;

/**
 * A part of a message.
 *
 * @param contentType the media type
 * @param content the content, as text or in Base64
 * @param contentEncoding {@code plain} or {@code base64}
 * @param contentUrl the address of the content, instead of {@code content}
 * @param name the name, for an artifact
 * @param metadata such as a citation
 */
@UnknownMembers.Policy(UnknownMembers.IGNORE)
public record MessagePart(
    @Param(value = "content_type", defaultsTo = "\"text/plain\"")
    String contentType,

    Optional<String> content,
    @Param("content_encoding") Optional<String> contentEncoding,
    @Param("content_url") Optional<String> contentUrl,
    Optional<String> name,
    Optional<Json> metadata) {
  /** Returns a part with plain text. */
  public static MessagePart text(String text) {
    return new MessagePart(
        "text/plain",
        Optional.of(text),
        Optional.of("plain"),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }
}
