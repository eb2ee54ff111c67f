package dev.repartee.transport;

import dev.repartee.internal.StreamSecurity;
import dev.repartee.limits.Limits;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Set;

/**
 * TCP with encryption, for the transports of this project: the type {@code StreamSecurity} is not
 * exported to other modules. Framings, limits and the end of connections are as for {@code tcp:}.
 */
public final class SecureTcp {
  private SecureTcp() {}

  /** Returns the option keys of {@code tcp:}. */
  public static Set<String> options() {
    return ListeningSocket.Mode.OPTIONS;
  }

  /**
   * Returns the host and the port of an endpoint, without looking up the host.
   *
   * @throws IllegalArgumentException if the endpoint is malformed
   */
  public static InetSocketAddress address(Endpoint endpoint) {
    TcpTransport.Address address = TcpTransport.Address.of(endpoint);
    return InetSocketAddress.createUnresolved(address.host(), address.port());
  }

  /** Connects, as {@link Transport#connect} does; returns after the handshake. */
  @SuppressWarnings("exports")
  public static Channel connect(Endpoint endpoint, Limits limits, StreamSecurity security)
      throws IOException {
    return TcpTransport.connect(endpoint, limits, security);
  }

  /** Listens, as {@link Transport#listen} does. Connections are accepted after the handshake. */
  @SuppressWarnings("exports")
  public static Transport.Listening listen(
      Endpoint endpoint, Limits limits, Transport.Acceptor acceptor, StreamSecurity security)
      throws IOException {
    return TcpTransport.listen(endpoint, limits, acceptor, security);
  }
}
