package dev.repartee.netty;

import dev.repartee.Endpoint;
import dev.repartee.Limits;
import dev.repartee.Options;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
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
  static Dialer of(Endpoint endpoint, Options options) throws IOException {
    return new Dialer(endpoint, HttpAddress.of(endpoint), Tls.client(endpoint), options.limits());
  }

  /** Connects with these handlers; done once messages can be sent, after the handshake of TLS. */
  ChannelFuture dial(EventLoopGroup loops, ChannelHandler... handlers) {
    SslHandler shaking = tls == null ? null : handler(tls);
    ChannelFuture connected = new Bootstrap()
        .group(loops)
        .channel(EventLoops.shared().client())
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.AUTO_CLOSE, false) // what the server said before it left is read
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, millis())
        .handler(new ChannelInitializer<>() {
          @Override
          protected void initChannel(Channel channel) {
            if (shaking != null) {
              channel.pipeline().addLast(shaking);
            }
            channel.pipeline().addLast(handlers);
          }
        })
        .connect(address.host(), address.port());
    return shaking == null ? connected : shaken(connected, shaking);
  }

  private SslHandler handler(SslContext context) {
    SslHandler handler =
        context.newHandler(ByteBufAllocator.DEFAULT, address.host(), address.port());
    handler.setHandshakeTimeoutMillis(millis());
    return handler;
  }

  /** The pipeline is not asked for the handler: a handshake that failed has emptied it by now. */
  private static ChannelFuture shaken(ChannelFuture connected, SslHandler handler) {
    ChannelPromise ready = connected.channel().newPromise();
    connected.addListener(done -> {
      if (!done.isSuccess()) {
        ready.tryFailure(done.cause());
        return;
      }
      handler.handshakeFuture().addListener(shaken -> {
        if (shaken.isSuccess()) {
          ready.trySuccess();
        } else {
          ready.tryFailure(shaken.cause());
        }
      });
    });
    return ready;
  }

  /** The time to connect. */
  int millis() {
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, limits.connectTimeout().toMillis()));
  }

  /** That it failed, and what to do. */
  IOException failed(Throwable cause) {
    String fault = TlsFault.reason(cause, address);
    if (fault == null) {
      boolean unreached = cause instanceof IOException;
      fault = SystemErrors.reason(cause) + (unreached ? "; is something listening there?" : "");
    }
    return failed(fault, cause);
  }

  /** That it took too long. */
  IOException late(@Nullable Throwable cause) {
    return failed("no answer within " + millis() + " ms, the limit connectTimeout", cause);
  }

  /** That it failed so. */
  IOException failed(String why, @Nullable Throwable cause) {
    return new IOException("cannot connect to " + endpoint.bare() + ": " + why, cause);
  }
}
