package dev.repartee.netty;

import dev.repartee.Endpoint;
import dev.repartee.Limits;
import dev.repartee.Options;
import dev.repartee.ReadingThread;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Opens the connections of a client to its server, under TLS where the scheme says so.
 *
 * @param endpoint what was asked for
 * @param address where that is
 * @param tls null for none
 * @param limits the bounds
 */
record Dialer(
    Endpoint endpoint, HttpAddress address, @Nullable SslContext tls, Limits limits) {
  /**
   * Prepares to connect to that endpoint.
   *
   * @throws IllegalStateException on a thread that reads connections, which must not wait
   */
  static Dialer of(Endpoint endpoint, Options options) throws IOException {
    HttpAddress address = HttpAddress.of(endpoint);
    if (ReadingThread.isCurrent()) {
      throw new IllegalStateException("waiting for a connection to " + HttpAddress.shown(endpoint)
          + " on a thread that reads connections or watches the time; connect on another thread, or"
          + " leave the inline lane");
    }
    return new Dialer(endpoint, address, Tls.client(endpoint), options.limits());
  }

  /**
   * Connects with these handlers; done once messages can be sent, after the handshake of TLS. The
   * addresses of the host are tried in turn. Cancelling the future closes what was opened.
   */
  Future<Channel> dial(EventLoop loop, ChannelHandler... handlers) {
    return dial(loop, HostNames.resolve(address.host()), handlers);
  }

  /** Does so once these addresses are known. */
  Future<Channel> dial(
      EventLoop loop, CompletionStage<InetAddress[]> found, ChannelHandler... handlers) {
    Attempts attempts = new Attempts(loop, handlers);
    found.whenComplete((addresses, failure) -> {
      loop.execute(() -> attempts.begin(addresses, failure));
    });
    return attempts.ready;
  }

  /** The attempts to open one connection. Of the event loop. */
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
        ready.tryFailure(java.util.Objects.requireNonNull(failure));
      } else {
        connect(addresses, 0);
      }
    }

    /** An address that does not answer gets its share of the time, so that others are tried too. */
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
          .option(ChannelOption.AUTO_CLOSE, false) // what the server said before it left is read
          .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, share)
          .handler(new ChannelInboundHandlerAdapter() {
            @Override
            public boolean isSharable() {
              return true;
            }
          })
          .connect(new InetSocketAddress(addresses[i], address.port()))
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
     * Takes the connection before its handlers are told that it is active. They join it only now, since a
     * handler cannot join one connection after another.
     */
    private void connected(Channel channel) {
      if (ready.isDone()) {
        channel.close();
        return;
      }
      opened = channel;
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

  private SslHandler handler(SslContext context) {
    SslHandler handler =
        context.newHandler(ByteBufAllocator.DEFAULT, address.host(), address.port());
    handler.setHandshakeTimeoutMillis(millis());
    return handler;
  }

  /** Waits for the connection; closes it if it is not open in time. */
  <T> T await(java.util.concurrent.Future<T> wanted, Future<Channel> dialled) throws IOException {
    try {
      return wanted.get(millis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw failed(java.util.Objects.requireNonNullElse(e.getCause(), e));
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

  /** The time to connect. */
  private int millis() {
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, limits.connectTimeout().toMillis()));
  }

  /** That it failed, and what to do. */
  IOException failed(Throwable cause) {
    if (cause instanceof TimeoutException) {
      return failed(lateness(), cause);
    }
    String fault = TlsFault.reason(cause, address);
    if (fault == null) {
      boolean unreached = cause instanceof IOException;
      fault = SystemErrors.reason(cause) + (unreached ? "; is something listening there?" : "");
    }
    return failed(fault, cause);
  }

  private String lateness() {
    return "no answer within " + millis() + " ms, the limit connectTimeout";
  }

  private IOException failed(String why, @Nullable Throwable cause) {
    return new IOException(
        "cannot connect to " + HttpAddress.shown(endpoint) + ": " + Printable.text(why), cause);
  }
}
