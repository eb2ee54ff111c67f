package dev.repartee.netty;

import dev.repartee.internal.Printable;
import dev.repartee.limits.Limits;
import dev.repartee.netty.http.HttpAddress;
import dev.repartee.netty.http.Proxy;
import dev.repartee.netty.tls.Tls;
import dev.repartee.netty.tls.TlsContext;
import dev.repartee.netty.tls.TlsFault;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.ReadingThread;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Opens the connections of a client to its server, with TLS if the scheme requires it.
 *
 * @param endpoint the endpoint to connect to
 * @param address the host, port and path of that endpoint
 * @param tls the TLS context, or null without TLS
 * @param proxy the proxy to connect through, or null
 * @param limits the limits; only {@code connectTimeout} is used here
 */
record Dialer(
    Endpoint endpoint,
    HttpAddress address,
    @Nullable TlsContext tls,
    @Nullable Proxy proxy,
    Limits limits) {
  /**
   * Creates the dialer of an endpoint.
   *
   * @throws IOException if a file for TLS cannot be used
   * @throws IllegalStateException on a thread that reads connections, which must not block
   */
  static Dialer of(Endpoint endpoint, Limits limits) throws IOException {
    HttpAddress address = HttpAddress.of(endpoint);
    if (ReadingThread.isCurrent()) {
      throw new IllegalStateException("waiting for a connection to " + HttpAddress.shown(endpoint)
          + " on a thread that reads connections or watches the time; connect on another thread, or"
          + " leave the inline lane");
    }
    Proxy proxy = Proxy.of(endpoint, address, System::getenv);
    return new Dialer(endpoint, address, Tls.httpClient(endpoint), proxy, limits);
  }

  /**
   * Returns the proxy that receives whole requests with the URI of the server, instead of opening a
   * tunnel.
   */
  @Nullable Proxy requestProxy() {
    return endpoint.scheme().equals("http") ? proxy : null;
  }

  /**
   * Returns the host of the sockets: the proxy's host if there is a proxy, otherwise the server's.
   */
  private String nextHost() {
    return proxy == null ? address.host() : proxy.host();
  }

  private int nextPort() {
    return proxy == null ? address.port() : proxy.port();
  }

  /**
   * Connects, and adds these handlers. The addresses of the host are tried in turn. The future
   * completes when messages can be sent, under TLS after the handshake. Cancelling it closes the
   * connection.
   */
  Future<Channel> dial(EventLoop loop, ChannelHandler... handlers) {
    return dial(loop, HostNames.resolve(nextHost()), handlers);
  }

  /** Connects in the same way, once a lookup has returned the addresses. */
  Future<Channel> dial(
      EventLoop loop, CompletionStage<InetAddress[]> found, ChannelHandler... handlers) {
    Attempts attempts = new Attempts(loop, handlers);
    found.whenComplete((addresses, failure) -> {
      loop.execute(() -> attempts.begin(addresses, failure));
    });
    return attempts.ready;
  }

  /** The attempts to open one connection. Runs on the event loop. */
  private final class Attempts {
    final Promise<Channel> ready;
    private final EventLoop loop;
    private final ChannelHandler[] handlers;
    private final long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis());
    private @Nullable Channel opened;

    Attempts(EventLoop loop, ChannelHandler... handlers) {
      this.loop = loop;
      this.handlers = handlers;
      this.ready = loop.newPromise();
      Future<?> late = loop.schedule(
          () -> ready.tryFailure(new TimeoutException(lateness())),
          millis(),
          TimeUnit.MILLISECONDS);
      ready.addListener(done -> {
        late.cancel(false);
        Channel channel = opened;
        if (!done.isSuccess() && channel != null) {
          channel.close();
        }
      });
    }

    void begin(InetAddress @Nullable [] addresses, @Nullable Throwable failure) {
      if (addresses == null) {
        ready.tryFailure(Objects.requireNonNull(failure));
      } else {
        connect(addresses, 0);
      }
    }

    /**
     * Tries one address. It gets an equal share of the remaining time; a silent address therefore
     * leaves time for the others.
     */
    private void connect(InetAddress[] addresses, int i) {
      if (ready.isDone()) {
        return;
      }
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      int share = (int) Math.max(1, left / (addresses.length - i));
      new Bootstrap()
          .group(loop)
          .channel(EventLoops.shared().client())
          .disableResolver()
          .option(ChannelOption.TCP_NODELAY, true)
          .option(ChannelOption.AUTO_CLOSE, false) // read data that arrived before the end
          .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, share)
          .handler(new ChannelInboundHandlerAdapter() {
            @Override
            public boolean isSharable() {
              return true;
            }
          })
          .connect(new InetSocketAddress(addresses[i], nextPort()))
          .addListener((io.netty.channel.ChannelFuture done) -> {
            if (done.isSuccess()) {
              connected(done.channel());
            } else if (i + 1 < addresses.length) {
              connect(addresses, i + 1);
            } else {
              ready.tryFailure(done.cause());
            }
          });
    }

    /**
     * Adds the handlers to a new connection, before they receive its active event. They are not
     * added to the bootstrap: if an attempt failed, they could not be added again for the next
     * address.
     */
    private void connected(Channel channel) {
      if (ready.isDone()) {
        channel.close();
        return;
      }
      opened = channel;
      EventLoops.shared().keepAlive(channel);
      if (proxy == null || requestProxy() != null) {
        handOver(channel);
      } else {
        channel
            .pipeline()
            .addLast(new ProxyTunnel(
                proxy, address, limits.headerBytes(), () -> handOver(channel), ready::tryFailure));
      }
    }

    /** Adds the handlers to a connection that reaches the server. */
    private void handOver(Channel channel) {
      SslHandler shaking = tls == null ? null : handler(tls);
      if (shaking != null) {
        channel.pipeline().addLast(shaking);
      }
      channel.pipeline().addLast(handlers);
      if (shaking == null) {
        ready.trySuccess(channel);
        return;
      }
      shaking.handshakeFuture().addListener(shaken -> {
        if (shaken.isSuccess()) {
          ready.trySuccess(channel);
        } else {
          ready.tryFailure(shaken.cause());
        }
      });
    }
  }

  private SslHandler handler(TlsContext context) {
    SslHandler handler =
        context.current().newHandler(ByteBufAllocator.DEFAULT, address.host(), address.port());
    handler.setHandshakeTimeoutMillis(millis());
    return handler;
  }

  /**
   * Waits for {@code wanted}, which depends on the connection {@code dialled}. Closes the
   * connection on a timeout or an interrupt.
   *
   * @throws IOException with the reason in its message, and with a remedy where one is known
   */
  <T> T await(java.util.concurrent.Future<T> wanted, Future<Channel> dialled) throws IOException {
    try {
      return wanted.get(millis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw failed(Objects.requireNonNullElse(e.getCause(), e));
    } catch (TimeoutException e) {
      abandon(dialled);
      throw failed(lateness(), e);
    } catch (InterruptedException e) {
      abandon(dialled);
      Thread.currentThread().interrupt();
      throw failed("the waiting thread was interrupted", e);
    }
  }

  private static void abandon(Future<Channel> dialled) {
    if (!dialled.cancel(false) && dialled.isSuccess()) {
      dialled.getNow().close();
    }
  }

  /** Returns the connect timeout in milliseconds, at least 1. */
  private int millis() {
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, limits.connectTimeout().toMillis()));
  }

  /** Returns the exception for a failed attempt to connect, with a remedy where one is known. */
  IOException failed(Throwable cause) {
    if (cause instanceof TimeoutException) {
      return failed(lateness(), cause);
    }
    String fault = TlsFault.reason(cause, address.host(), "http: or ws:");
    if (fault == null) {
      boolean unreached = cause instanceof SocketException;
      fault = SystemErrors.reason(cause) + (unreached ? "; is something listening there?" : "");
    }
    return failed(fault, cause);
  }

  /**
   * Returns the end of a sentence about a server that has ended the connection without a byte of a
   * response, as a server without HTTP does. Empty if the server has shown that it speaks TLS, or
   * if a proxy may have ended the connection.
   */
  String isItHttp() {
    return tls != null || proxy != null
        ? ""
        : "; is it an HTTP server? tcp: connects to a JSON-RPC server without HTTP";
  }

  private String lateness() {
    return "no answer within " + millis() + " ms, the limit connectTimeout";
  }

  private IOException failed(String why, @Nullable Throwable cause) {
    String through = proxy == null ? "" : " through the proxy " + proxy;
    return new IOException(
        "cannot connect to " + HttpAddress.shown(endpoint) + through + ": " + Printable.text(why),
        cause);
  }
}
