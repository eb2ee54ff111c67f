package dev.repartee.transport;

import dev.repartee.framing.Framing;
import dev.repartee.internal.BindFault;
import dev.repartee.internal.KeepAlive;
import dev.repartee.internal.StreamSecurity;
import dev.repartee.internal.StreamSecurity.Handshake;
import dev.repartee.internal.Times;
import dev.repartee.internal.Wire;
import dev.repartee.limits.Limits;
import java.io.IOException;
import java.net.BindException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The transport {@code tcp://HOST:PORT}. An empty host means 127.0.0.1. */
final class TcpTransport implements Transport {
  /** The number of connections that the kernel keeps ready to be accepted. */
  static final int BACKLOG = 1_024;

  private static final String LOOPBACK = "127.0.0.1";

  /** A host, without the brackets of an IPv6 address, and a port. */
  record Address(String host, int port) {
    static Address of(Endpoint endpoint) {
      String text = endpoint.address();
      int colon = text.lastIndexOf(':');
      if (!text.startsWith("//") || colon < text.lastIndexOf(']') || colon < 2) {
        throw malformed(endpoint, "has no port");
      }
      String host = text.substring(2, colon);
      if (host.startsWith("[") && host.endsWith("]")) {
        host = host.substring(1, host.length() - 1);
      } else if (host.indexOf(':') >= 0) {
        throw malformed(endpoint, "has an IPv6 address without brackets");
      }
      if (host.indexOf('/') >= 0 || host.indexOf('@') >= 0) {
        throw malformed(endpoint, "has more than a host and a port");
      }
      return new Address(host.isEmpty() ? LOOPBACK : host, port(endpoint, text, colon));
    }

    private static int port(Endpoint endpoint, String text, int colon) {
      String digits = text.substring(colon + 1);
      boolean number = digits.chars().allMatch(c -> c >= '0' && c <= '9');
      if (!number || digits.isEmpty() || digits.length() > 5 || Integer.parseInt(digits) > 0xFFFF) {
        throw malformed(endpoint, "has no port between 0 and 65535");
      }
      return Integer.parseInt(digits);
    }

    private static IllegalArgumentException malformed(Endpoint endpoint, String what) {
      return new IllegalArgumentException("'" + Endpoint.shown(endpoint.toString()) + "' " + what
          + "; write it as " + endpoint.scheme() + "://HOST:PORT, IPv6 as " + endpoint.scheme()
          + "://[::1]:7000");
    }

    static String text(InetAddress address, int port) {
      String host = address.getHostAddress();
      return (address instanceof Inet6Address ? "[" + host + "]" : host) + ":" + port;
    }
  }

  @Override
  public Set<String> schemes() {
    return Set.of("tcp");
  }

  @Override
  public Set<String> options() {
    return ListeningSocket.Mode.OPTIONS;
  }

  @Override
  public Channel connect(Endpoint endpoint, Limits limits, Headers headers) throws IOException {
    return connect(endpoint, limits, (StreamSecurity) null);
  }

  /** Connects; returns after the handshake, if there is a security. */
  static Channel connect(Endpoint endpoint, Limits limits, @Nullable StreamSecurity security)
      throws IOException {
    Address address = Address.of(endpoint);
    ListeningSocket.Mode mode = ListeningSocket.Mode.of(endpoint, Framing.LINES, limits);
    long deadline = System.nanoTime() + Times.nanos(limits.connectTimeout());
    SocketChannel socket = connect(endpoint, address, deadline);
    try {
      ChannelInfo info = info(endpoint.scheme(), socket.getRemoteAddress());
      Wire wire =
          security == null ? new Wire.Plain(socket) : shakeHands(security, socket, deadline);
      return new LoopChannel(ListeningSocket.Link.of(socket, wire, info, mode));
    } catch (ClosedByInterruptException e) {
      socket.close();
      throw Transports.interrupted(endpoint, e);
    } catch (IOException e) {
      socket.close();
      throw new IOException("cannot connect to " + endpoint.bare() + ": " + e.getMessage(), e);
    } catch (RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  /** Connects to one of the addresses of the host. */
  private static SocketChannel connect(Endpoint endpoint, Address address, long deadline)
      throws IOException {
    IOException last = null;
    InetAddress[] candidates = resolve(endpoint, address);
    for (int i = 0; i < candidates.length; i++) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (last != null && left <= 0) {
        break;
      }
      // Each address gets an equal share of the remaining time. This leaves time for the addresses
      // after one without an answer.
      long share = left / (candidates.length - i);
      try {
        return connect(new InetSocketAddress(candidates[i], address.port()), share);
      } catch (ClosedByInterruptException e) {
        throw Transports.interrupted(endpoint, e);
      } catch (IOException e) {
        last = e;
      }
    }
    throw new IOException(
        "cannot connect to " + endpoint.bare() + ": " + (last == null ? "" : last.getMessage())
            + "; is something listening there?",
        last);
  }

  private static SocketChannel connect(InetSocketAddress address, long millis) throws IOException {
    SocketChannel socket = SocketChannel.open();
    try {
      socket.socket().connect(address, (int) Math.max(1, Math.min(millis, Integer.MAX_VALUE)));
      socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
      KeepAlive.on(socket);
      return socket;
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  /** Waits for the end of the handshake, on a separate selector: no loop serves the socket yet. */
  private static Wire shakeHands(StreamSecurity security, SocketChannel socket, long deadline)
      throws IOException {
    socket.configureBlocking(false);
    Handshake handshake = security.open(socket, null);
    try (Selector selector = Selector.open()) {
      SelectionKey key = socket.register(selector, 0);
      int next = handshake.proceed();
      while (next != Handshake.DONE) {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left <= 0) {
          throw new IOException("the TLS handshake took too long; does the server speak TLS?");
        }
        key.interestOps(next);
        selector.select(left);
        if (Thread.currentThread().isInterrupted()) {
          throw new ClosedByInterruptException();
        }
        next = handshake.proceed();
      }
    }
    return handshake.wire();
  }

  private static InetAddress[] resolve(Endpoint endpoint, Address address) throws IOException {
    try {
      return InetAddress.getAllByName(address.host());
    } catch (UnknownHostException e) {
      throw new IOException(
          "no address is known for the host '"
              + address.host()
              + "' of "
              + endpoint.bare()
              + "; check its spelling",
          e);
    }
  }

  @Override
  public Listening listen(Endpoint endpoint, Limits limits, Acceptor acceptor) throws IOException {
    return listen(endpoint, limits, acceptor, null);
  }

  /** Listens; connections are accepted after the handshake, if there is a security. */
  static Listening listen(
      Endpoint endpoint, Limits limits, Acceptor acceptor, @Nullable StreamSecurity security)
      throws IOException {
    Address address = Address.of(endpoint);
    ListeningSocket.Mode mode = ListeningSocket.Mode.of(endpoint, Framing.AUTO, limits);
    InetAddress host = resolve(endpoint, address)[0];
    ServerSocketChannel server = ServerSocketChannel.open();
    try {
      server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      server.bind(new InetSocketAddress(host, address.port()), BACKLOG);
      int port = server.socket().getLocalPort();
      String name = address.host().indexOf(':') < 0 ? address.host() : "[" + address.host() + "]";
      Endpoint bound = endpoint.at("//" + name + ":" + port);
      Function<SocketChannel, ChannelInfo> naming = socket -> accepted(endpoint.scheme(), socket);
      return new ListeningSocket(server, bound, mode, naming, acceptor, security, () -> {}).start();
    } catch (BindException e) {
      server.close();
      throw new IOException(
          "cannot listen on "
              + endpoint.bare()
              + ": "
              + e.getMessage()
              + "; "
              + BindFault.remedy(host),
          e);
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /**
   * Returns the description of a connection from the address of its peer, TCP or Unix.
   *
   * @param scheme the name of the transport over TCP
   */
  static ChannelInfo info(String scheme, SocketAddress remote) {
    return remote instanceof InetSocketAddress tcp
        ? new ChannelInfo(scheme, Address.text(tcp.getAddress(), tcp.getPort()), "")
        : new ChannelInfo("unix", String.valueOf(remote), "");
  }

  /**
   * Returns the attributes of a TCP or Unix connection.
   *
   * @param accepted whether the other side is the client
   */
  static Attributes attributes(SocketChannel socket, boolean accepted) {
    try {
      if (socket.getRemoteAddress() instanceof InetSocketAddress remote) {
        return Attributes.of(Channel.REMOTE_ADDRESS, remote);
      }
      PeerUser user = accepted ? PeerUser.of(socket) : null;
      return user == null ? Attributes.NONE : Attributes.of(PeerUser.ATTRIBUTE, user);
    } catch (IOException e) {
      return Attributes.NONE; // the socket is closed
    }
  }

  private static ChannelInfo accepted(String scheme, SocketChannel socket) {
    try {
      socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
      KeepAlive.on(socket);
      return info(scheme, socket.getRemoteAddress());
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
