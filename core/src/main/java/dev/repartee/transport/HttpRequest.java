package dev.repartee.transport;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An inbound HTTP request with its complete body.
 *
 * @param method the HTTP method as it was sent, such as {@code POST}
 * @param path the path of the request target as it was sent, without percent-decoding
 * @param query the query of the request target, behind the {@code ?}; null if there is none
 * @param headers the header fields. Keys ignore case; several fields with the same name are joined
 *     by commas (RFC 9110 section 5.3)
 * @param body the content after decompression; may be kept, but must not be changed
 * @param channel the connection, with the transport {@code http} or {@code https}
 */
public record HttpRequest(
    String method,
    String path,
    @Nullable String query,
    Map<String, String> headers,
    byte[] body,
    ChannelInfo channel) {
  /**
   * The {@linkplain dev.repartee.Call#attributes() attribute} of a call with the header fields of
   * its HTTP request, or of the WebSocket handshake of its connection (on a client: of the
   * response). Keys and values are those of {@link #headers}.
   */
  public static final Attribute<Map<String, String>> HEADERS = Attribute.named("HTTP headers");

  /** Returns the value of a header field, ignoring the case of its name; null if there is none. */
  public @Nullable String header(String name) {
    return headers.get(name);
  }
}
