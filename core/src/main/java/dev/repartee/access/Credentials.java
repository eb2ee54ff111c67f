package dev.repartee.access;

import dev.repartee.transport.Attributes;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.http.HttpRequest;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The facts that may prove the identity of a caller: of one HTTP request or WebSocket handshake, of
 * one connection of another transport, or of one message of a broker.
 *
 * @param channel the connection, for messages; the texts are not proofs
 * @param attributes the facts that the transport knows
 */
public record Credentials(ChannelInfo channel, Attributes attributes) {
  /** Returns a header field of the request, ignoring the case of its name; null if none. */
  public @Nullable String header(String name) {
    return HttpRequest.header(attributes, name);
  }

  /** Returns the address of the client, or of the proxy before it; null if it is not known. */
  public @Nullable InetSocketAddress remoteAddress() {
    return attributes.get(Channel.REMOTE_ADDRESS);
  }

  /**
   * Returns the certificate of the client and its intermediate certificates, its own first; empty
   * if the client has shown none. The transport has verified them.
   */
  public List<X509Certificate> certificates() {
    List<X509Certificate> shown = attributes.get(Channel.PEER_CERTIFICATES);
    return shown == null ? List.of() : shown;
  }
}
