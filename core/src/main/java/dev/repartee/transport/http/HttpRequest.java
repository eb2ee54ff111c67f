package dev.repartee.transport.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.transport.Attribute;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An inbound HTTP request.
 *
 * @param method the HTTP method as it was sent, such as {@code POST}
 * @param path the path of the request target as it was sent, without percent-decoding
 * @param query the query of the request target, after the {@code ?}; null if there is none
 * @param headers the header fields. Keys ignore case; several fields with the same name are joined
 *     by commas (RFC 9110 section 5.3)
 * @param body the content after decompression; may be kept, but must not be changed. Empty for a
 *     {@link dev.repartee.HttpFilter}, which runs before the body is read
 * @param channel the connection, with the transport {@code http} or {@code https}
 * @param attributes the facts about this request and its connection that the {@linkplain
 *     dev.repartee.Call#attributes() calls} of the request have too
 */
public record HttpRequest(
    String method,
    String path,
    @Nullable String query,
    Map<String, String> headers,
    byte[] body,
    ChannelInfo channel,
    Attributes attributes) {
  /**
   * The {@linkplain dev.repartee.Call#attributes() attribute} of a call with the header fields of
   * its HTTP request, or of the WebSocket handshake of its connection (on a client: of the
   * response), or with the headers that its sender has set over a broker. Has the same keys and
   * values as {@link #headers}.
   */
  public static final Attribute<Map<String, String>> HEADERS = Attribute.named("HTTP headers");

  /**
   * The {@linkplain dev.repartee.Call#attributes() attribute} of a call with the {@link #query} of
   * its HTTP request, or of the WebSocket handshake of its connection. Not set if there is none.
   */
  public static final Attribute<String> QUERY = Attribute.named("HTTP query");

  /** Returns the value of a header field, ignoring the case of its name; null if there is none. */
  public @Nullable String header(String name) {
    return headers.get(name);
  }

  /**
   * Returns the value of a header in the attribute {@link #HEADERS}, ignoring the case of its name;
   * null if there is none.
   */
  public static @Nullable String header(Attributes attributes, String name) {
    Map<String, String> headers = attributes.get(HEADERS);
    return headers == null ? null : headers.get(name);
  }

  /** Returns the first value of a parameter in the {@link #query}; null if there is none. */
  public @Nullable String parameter(String name) {
    return parameter(query, name);
  }

  /**
   * Returns the first value of a parameter in a query such as {@code a=1&b=two+words}, with its
   * percent-encoding decoded as UTF-8; null if there is none, or if its encoding is malformed.
   */
  public static @Nullable String parameter(@Nullable String query, String name) {
    if (query == null) {
      return null;
    }
    for (String pair : query.split("&")) {
      int equals = pair.indexOf('=');
      String key = equals < 0 ? pair : pair.substring(0, equals);
      if (name.equals(decoded(key))) {
        return equals < 0 ? "" : decoded(pair.substring(equals + 1));
      }
    }
    return null;
  }

  private static @Nullable String decoded(String text) {
    try {
      return URLDecoder.decode(text, UTF_8);
    } catch (IllegalArgumentException e) {
      return null; // a percent sign without two digits
    }
  }

  /** Returns the address of the client or of the proxy before it; null if it is not known. */
  public @Nullable InetSocketAddress remoteAddress() {
    return attributes.get(Channel.REMOTE_ADDRESS);
  }

  /**
   * Returns the certificate of the client and its intermediate certificates, its own first; empty
   * if the client has shown none. The transport has verified them.
   */
  public List<X509Certificate> clientCertificates() {
    List<X509Certificate> shown = attributes.get(Channel.PEER_CERTIFICATES);
    return shown == null ? List.of() : shown;
  }
}
