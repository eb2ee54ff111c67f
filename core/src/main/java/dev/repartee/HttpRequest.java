package dev.repartee;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP request that came in, whole.
 *
 * @param method such as {@code POST}, as it was written
 * @param path the path of its target, as it was written: percent signs are not decoded
 * @param query what stands behind the {@code ?} of its target, or null where there is none
 * @param headers its header fields; keys know no case, several fields of one name are joined by commas
 *     (RFC 9110 section 5.3)
 * @param body its content, decompressed; the reader's to keep and not to change
 * @param channel the connection it came on, whose transport is {@code http} or {@code https}
 */
public record HttpRequest(
    String method,
    String path,
    @Nullable String query,
    Map<String, String> headers,
    byte[] body,
    ChannelInfo channel) {
  /** The value of a header field, or null where there is none. */
  public @Nullable String header(String name) {
    return headers.get(name);
  }
}
