package dev.repartee.netty.tls;

import dev.repartee.netty.http.HttpAddress;
import dev.repartee.transport.Endpoint;
import io.netty.channel.Channel;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * The TLS of endpoints of HTTP and WebSocket, from their options, and of all connections of Netty.
 * The JDK implements TLS.
 */
public final class Tls {
  /** The options of an endpoint for TLS. */
  static final Set<String> OPTIONS = Set.of("ca", "cert", "key", Password.OPTION);

  private Tls() {}

  /** Returns whether a channel is under TLS; for an HTTP/2 stream, whether its connection is. */
  public static boolean isOn(Channel channel) {
    Channel parent = channel.parent();
    return channel.pipeline().get(SslHandler.class) != null || parent != null && isOn(parent);
  }

  /**
   * Returns the verified certificate of the peer and its intermediate certificates; empty without
   * TLS, and if the peer has sent none. For an HTTP/2 stream, the certificates of its connection.
   */
  public static List<X509Certificate> peerCertificates(Channel channel) {
    SslHandler handler = channel.pipeline().get(SslHandler.class);
    if (handler == null) {
      return channel.parent() == null ? List.of() : peerCertificates(channel.parent());
    }
    return peerCertificates(handler.engine());
  }

  static List<X509Certificate> peerCertificates(SSLEngine engine) {
    try {
      return Arrays.stream(engine.getSession().getPeerCertificates())
          .filter(X509Certificate.class::isInstance)
          .map(X509Certificate.class::cast)
          .toList();
    } catch (SSLPeerUnverifiedException e) {
      return List.of();
    }
  }

  /**
   * Returns the TLS context of a client over HTTP or WebSocket; see {@link TlsContext#client}.
   *
   * @return null if the scheme has no TLS
   * @throws IOException if a file cannot be used; the message names it
   * @throws IllegalArgumentException if an option is missing, or has no use without TLS
   */
  public static @Nullable TlsContext httpClient(Endpoint endpoint) throws IOException {
    if (!HttpAddress.isSecure(endpoint)) {
      refuseOptions(endpoint);
      return null;
    }
    return TlsContext.client(endpoint, ApplicationProtocolNames.HTTP_1_1);
  }

  /**
   * Returns the TLS context of a server of HTTP and WebSocket; see {@link TlsContext#server}.
   *
   * @return null if the scheme has no TLS
   * @throws IOException if a file cannot be used; the message names it
   * @throws IllegalArgumentException if an option is missing, or has no use without TLS
   */
  public static @Nullable TlsContext httpServer(Endpoint endpoint) throws IOException {
    if (!HttpAddress.isSecure(endpoint)) {
      refuseOptions(endpoint);
      return null;
    }
    return TlsContext.server(
        endpoint, ApplicationProtocolNames.HTTP_2, ApplicationProtocolNames.HTTP_1_1, "http/1.0");
  }

  /**
   * Makes a second handshake on the same connection fail. TLS 1.2 allows one at any time; each
   * costs the client almost nothing, and no limit counts them. The JDK can forbid renegotiation
   * only for the whole process. Instead, only TLS 1.3, which has no renegotiation, stays enabled
   * after the first handshake: a connection of TLS 1.2 cannot change to it.
   */
  public static void refuseRenegotiation(SSLEngine engine) {
    engine.setEnabledProtocols(new String[] {"TLSv1.3"});
  }

  /** Runs the expensive steps that the handshake waits for. */
  static void runTasks(SSLEngine engine) {
    for (Runnable task = engine.getDelegatedTask();
        task != null;
        task = engine.getDelegatedTask()) {
      task.run();
    }
  }

  private static void refuseOptions(Endpoint endpoint) {
    for (String option : OPTIONS) {
      if (endpoint.options().containsKey(option)) {
        throw new IllegalArgumentException(
            "'" + HttpAddress.shown(endpoint) + "' is not encrypted, so that the option " + option
                + " has no use; write " + endpoint.scheme() + "s:, or leave it out");
      }
    }
  }
}
