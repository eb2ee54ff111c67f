package dev.repartee.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import org.jspecify.annotations.Nullable;

/** Decides which texts a framing can carry as one message. */
final class Carriage {
  private Carriage() {}

  /** Returns why the framing cannot carry a text as one message, or null if it can. */
  static @Nullable String refusal(String framing, byte[] text) {
    String latin = new String(text, java.nio.charset.StandardCharsets.ISO_8859_1);
    return switch (framing) {
      case "lines" ->
        latin.isBlank() || latin.indexOf('\n') >= 0 ? "a line cannot carry the message" : null;
      case "json-seq" ->
        latin.isBlank() || latin.indexOf(0x1E) >= 0
            ? "a JSON text sequence cannot carry the message"
            : null;
      case "concatenated" ->
        isOneValue(text) ? null : "concatenated framing can carry only objects and arrays";
      case "stanza" ->
        isText(text) && latin.chars().allMatch(c -> c >= ' ' || "\t\n\r".indexOf(c) >= 0)
            ? null
            : "XML cannot carry the message";
      case "message" -> isText(text) ? null : "only text can be sent as a message";
      default -> null;
    };
  }

  private static boolean isOneValue(byte[] text) {
    try {
      Json.Kind kind = Json.parse(text).kind();
      return kind == Json.Kind.OBJECT || kind == Json.Kind.ARRAY;
    } catch (JsonException e) {
      return false;
    }
  }

  private static boolean isText(byte[] text) {
    try {
      UTF_8.newDecoder().decode(ByteBuffer.wrap(text));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }
}
