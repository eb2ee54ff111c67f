package dev.repartee;

import dev.repartee.framing.Framing;
import dev.repartee.transport.Channel;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * The entry point: {@link #connect} to a server, or {@link #listen} for clients.
 *
 * <pre>{@code
 * try (Peer peer = Repartee.connect("tcp://127.0.0.1:7000")) {
 *   int difference = peer.call("subtract", int.class, 42, 23);
 * }
 * }</pre>
 */
public final class Repartee {
  private Repartee() {}

  /** Returns the version of this library, such as {@code 1.2.0}; {@code rpc.status} reports it. */
  public static String version() {
    return Version.NUMBER;
  }

  /** Reads {@code version.txt}, into which Maven writes the version, on first use. */
  private static final class Version {
    static final String NUMBER = read();

    private static String read() {
      try (InputStream resource = Repartee.class.getResourceAsStream("version.txt")) {
        byte[] text = Objects.requireNonNull(resource).readAllBytes();
        return new String(text, StandardCharsets.UTF_8).strip();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /**
   * Connects to a URI as a pure client with the default options; see {@link #connect(String,
   * Service, Options)}.
   *
   * @throws IOException if the server cannot be reached within {@link
   *     dev.repartee.limits.Limits#connectTimeout}
   * @throws IllegalArgumentException if no installed transport supports the URI
   */
  public static Peer connect(String uri) throws IOException {
    return connect(uri, Service.NONE, Options.DEFAULT);
  }

  /**
   * Connects to a URI as a pure client, without a service; see {@link #connect(String, Service,
   * Options)}.
   *
   * @throws IOException if the server cannot be reached within {@link
   *     dev.repartee.limits.Limits#connectTimeout}
   * @throws IllegalArgumentException if no installed transport supports the URI, or if the options
   *     have headers that the transport cannot send
   */
  public static Peer connect(String uri, Options options) throws IOException {
    return connect(uri, Service.NONE, options);
  }

  /**
   * Connects to a URI and offers a service to the other side. Blocks until the connection is open.
   * The caller has to close the peer. Messages are framed as lines unless the URI names another
   * framing, or the dialect is an {@link dev.repartee.framing.Envelope} that has another.
   *
   * @throws IOException if the server cannot be reached within {@link
   *     dev.repartee.limits.Limits#connectTimeout}
   * @throws IllegalArgumentException if no installed transport supports the URI, or if the options
   *     have headers that the transport cannot send
   * @throws IllegalStateException over HTTP and WebSocket on a {@linkplain
   *     dev.repartee.transport.ReadingThread thread that reads}, such as a thread that runs a
   *     callback: connecting would wait for input that only such threads read
   */
  public static Peer connect(String uri, Service service, Options options) throws IOException {
    ServerContext.required(service);
    return connect(Endpoint.parse(uri), service, options);
  }

  /**
   * Connects to an endpoint, such as {@link Server#endpoint}, as a pure client with the default
   * options; see {@link #connect(String)}.
   *
   * @throws IOException if the server cannot be reached
   * @throws IllegalArgumentException if no installed transport supports the endpoint
   */
  public static Peer connect(Endpoint endpoint) throws IOException {
    return connect(endpoint, Service.NONE, Options.DEFAULT);
  }

  /**
   * Connects to an endpoint as a pure client; see {@link #connect(String, Options)}.
   *
   * @throws IOException if the server cannot be reached
   * @throws IllegalArgumentException if no installed transport supports the endpoint, or if the
   *     options have headers that the transport cannot send
   */
  public static Peer connect(Endpoint endpoint, Options options) throws IOException {
    return connect(endpoint, Service.NONE, options);
  }

  /**
   * Connects to an endpoint and offers a service to the other side; see {@link #connect(String,
   * Service, Options)}.
   *
   * @throws IOException if the server cannot be reached
   * @throws IllegalArgumentException if no installed transport supports the endpoint, or if the
   *     options have headers that the transport cannot send
   */
  public static Peer connect(Endpoint endpoint, Service service, Options options)
      throws IOException {
    ServerContext.required(service);
    Options there = options.at(endpoint); // before the connection: it may refuse the endpoint
    return Peer.open(
        Transport.open(
            EndpointDialect.framed(there, endpoint), there.limits(), there.headersAt(endpoint)),
        service,
        there);
  }

  /**
   * Opens a peer over two streams, in the framing of the options' {@link
   * dev.repartee.framing.Envelope}, or else in {@link Framing#AUTO}: it writes lines until the
   * first message of the other side shows another framing. See {@link #over(InputStream,
   * OutputStream, Framing, Service, Options)}.
   */
  public static Peer over(InputStream in, OutputStream out, Service service, Options options) {
    return over(in, out, options.framing(), service, options);
  }

  /**
   * Opens a peer over two streams, for example of a socket, a serial port or a session of SSH, and
   * offers a service to the other side ({@link Service#NONE} for a pure client). Does not wait for
   * the other side. The caller has to close the peer, which closes both streams.
   *
   * <p>One thread reads and another writes, and either stream may block. Each write is followed by
   * a flush. For a process or a socket channel see {@link Peer#open(Channel, Service, Options)}.
   */
  public static Peer over(
      InputStream in, OutputStream out, Framing framing, Service service, Options options) {
    ServerContext.required(service);
    return Peer.open(Channel.over(in, out, framing, options.limits()), service, options);
  }

  /**
   * Serves at a URI with the default options; see {@link #listen(String, Service, Options)}.
   *
   * @throws IOException if the address cannot be bound
   * @throws IllegalArgumentException if no installed transport supports the URI
   */
  public static Server listen(String uri, Service service) throws IOException {
    return listen(uri, service, Options.DEFAULT);
  }

  /**
   * Serves at a URI until the server is closed. Returns when connections are accepted. Daemon
   * threads serve them, which do not keep the JVM alive; {@link Server#join} does. The framing of
   * each client is detected from its first bytes, unless the URI names a framing, or the dialect
   * is an {@link dev.repartee.framing.Envelope} that has one.
   *
   * @throws IOException if the address cannot be bound
   * @throws IllegalArgumentException if no installed transport supports the URI
   */
  public static Server listen(String uri, Service service, Options options) throws IOException {
    Endpoint endpoint = Endpoint.parse(uri);
    return Server.listen(Transport.of(endpoint), endpoint, service, options);
  }

  /**
   * Serves several paths of one HTTP port; see {@link #listen(String, HttpRoutes, Options)}.
   *
   * @throws IOException if the address cannot be bound
   * @throws IllegalArgumentException if the URI is not one of HTTP, or has a path
   */
  public static Server listen(String uri, HttpRoutes routes) throws IOException {
    return listen(uri, routes, Options.DEFAULT);
  }

  /**
   * Serves several paths of one HTTP port, such as {@code http://127.0.0.1:8645}, until the server
   * is closed. Of the options the limits and the listener are used, for the part that is common to
   * all paths.
   *
   * @throws IOException if the address cannot be bound
   * @throws IllegalArgumentException if the URI is not one of HTTP, or has a path
   */
  public static Server listen(String uri, HttpRoutes routes, Options options) throws IOException {
    Endpoint endpoint = Endpoint.parse(uri);
    return Server.listen(Transport.of(endpoint), endpoint, routes, options);
  }

  /**
   * Serves at a URI, with a peer for each connection that the factory opens: for protocols with a
   * state for each connection. Of the options the limits and the listener are used, for the part
   * that is common to all connections, and the authenticator, unless {@link PeerFactory#access} has
   * one.
   *
   * @param factory opens the peer of each connection
   * @throws IOException if the address cannot be bound
   * @throws IllegalArgumentException if no installed transport supports the URI, or if the options
   *     have rules for methods, which would have no effect, and {@link PeerFactory#access} has none
   */
  public static Server listen(String uri, PeerFactory factory, Options options) throws IOException {
    Endpoint endpoint = Endpoint.parse(uri);
    return Server.listen(Transport.of(endpoint), endpoint, factory, options);
  }
}
