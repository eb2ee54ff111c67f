package dev.repartee.netty.tls;

import dev.repartee.limits.Limits;
import dev.repartee.transport.Channel;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import dev.repartee.transport.SecureTcp;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;

/**
 * The transport of {@code tls://HOST:PORT}: TCP with TLS 1.2 or 1.3. An empty host means 127.0.0.1.
 * Framings, limits and the option {@code latency} are those of {@code tcp:}. The options of the
 * certificates, {@code cert}, {@code key}, {@code password} and {@code ca}, and the checks are those
 * of {@code https:}, see {@link dev.repartee.netty.NettyTransport}; there is no ALPN.
 *
 * <p>The end of the output is the close_notify of TLS. A connection that ends without it is lost,
 * even between two messages. Under TLS 1.3 the directions end separately, as over TCP. Under TLS
 * 1.2 close_notify ends both (RFC 5246 section 7.2.1): answers that are not sent yet are lost.
 *
 * <p>Thread-safe.
 */
public final class TlsTransport implements Transport {
  /** Creates the transport; {@link java.util.ServiceLoader} does so. */
  public TlsTransport() {}

  @Override
  public Set<String> schemes() {
    return Set.of("tls");
  }

  @Override
  public Set<String> options() {
    Set<String> options = new TreeSet<>(SecureTcp.options());
    options.addAll(Tls.OPTIONS);
    return options;
  }

  @Override
  public Channel connect(Endpoint endpoint, Limits limits, Headers headers) throws IOException {
    return SecureTcp.connect(endpoint, limits, StreamTls.client(endpoint));
  }

  @Override
  public Listening listen(Endpoint endpoint, Limits limits, Acceptor acceptor) throws IOException {
    return SecureTcp.listen(endpoint, limits, acceptor, StreamTls.server(endpoint));
  }
}
