package dev.repartee.netty;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** An accepted connection that carries requests. */
interface ServedConnection {
  /**
   * The time from the end of the output to the close. Input is dropped meanwhile. If the socket
   * were closed while the client still sends, a reset could destroy the last response.
   */
  int LINGER_SECONDS = 1;

  /**
   * Accepts no further requests. The connection ends when the received ones are answered. Any
   * thread may call it.
   */
  void finish();

  /**
   * Does the same, and cancels the requests that still run when the limit has passed.
   *
   * @return completes when the connection has ended, or has become a WebSocket
   */
  CompletableFuture<?> finish(Duration limit);

  /**
   * Ends the output, under TLS with close_notify, and closes the socket {@code LINGER_SECONDS}
   * later.
   *
   * @param open false to close the socket immediately
   */
  static void linger(ChannelHandlerContext ctx, boolean open) {
    if (open && ctx.channel() instanceof DuplexChannel socket) {
      SslHandler tls = ctx.pipeline().get(SslHandler.class);
      ChannelFuture last = tls == null ? ctx.newSucceededFuture() : tls.closeOutbound();
      last.addListener(sent -> socket.shutdownOutput());
      ctx.executor().schedule(() -> ctx.close(), LINGER_SECONDS, TimeUnit.SECONDS);
    } else {
      ctx.close();
    }
  }

  /**
   * Sets a time limit for the end of the connection.
   *
   * @param timedOut runs on the event loop if the connection has not ended within the limit
   * @param ended completes when the connection has ended
   */
  static void endWithin(
      ChannelHandlerContext ctx,
      Duration limit,
      Runnable timedOut,
      CompletableFuture<@Nullable Void> ended) {
    Future<?> deadline = ctx.executor().schedule(timedOut, limit.toNanos(), TimeUnit.NANOSECONDS);
    ctx.channel().closeFuture().addListener(closed -> {
      deadline.cancel(false);
      ended.complete(null);
    });
  }
}
