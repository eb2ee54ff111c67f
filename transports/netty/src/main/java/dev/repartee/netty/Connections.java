package dev.repartee.netty;

import dev.repartee.netty.tls.Tls;
import dev.repartee.transport.Attributes;
import io.netty.channel.Channel;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The facts about the other end of a connection. For an HTTP/2 stream, the facts about its
 * connection.
 */
final class Connections {
  private Connections() {}

  /** Returns the address of the peer for messages; empty if it is not known. */
  static String remote(Channel channel) {
    InetSocketAddress remote = address(channel);
    return remote == null ? "" : NetUtil.toSocketAddressString(remote);
  }

  /** Returns the address and the certificates of the peer, as far as they are known. */
  static Attributes attributes(Channel channel) {
    Attributes facts = Attributes.NONE;
    InetSocketAddress remote = address(channel);
    if (remote != null) {
      facts = facts.with(dev.repartee.transport.Channel.REMOTE_ADDRESS, remote);
    }
    List<X509Certificate> certificates = Tls.peerCertificates(channel);
    return certificates.isEmpty()
        ? facts
        : facts.with(dev.repartee.transport.Channel.PEER_CERTIFICATES, certificates);
  }

  private static @Nullable InetSocketAddress address(Channel channel) {
    return channel.remoteAddress() instanceof InetSocketAddress remote ? remote : null;
  }
}
