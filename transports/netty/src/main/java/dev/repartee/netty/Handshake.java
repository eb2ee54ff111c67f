package dev.repartee.netty;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.repartee.netty.tls.Tls;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the TLS handshake of an accepted connection, and then passes on the negotiated
 * protocol.
 */
final class Handshake extends ApplicationProtocolNegotiationHandler implements ServedConnection {
  private static final String PLAIN = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n"
      + "Connection: close\r\n\r\nTLS is spoken here: the address starts with https: or wss:.\n";

  private final Channel channel;
  private final BiConsumer<Handshake, String> done;

  /**
   * Creates the handler.
   *
   * @param done receives this handler and the name of the protocol negotiated by ALPN
   */
  Handshake(Channel channel, BiConsumer<Handshake, String> done) {
    super(ApplicationProtocolNames.HTTP_1_1);
    this.channel = channel;
    this.done = done;
  }

  @Override
  protected void configurePipeline(ChannelHandlerContext ctx, String protocol) {
    Tls.refuseRenegotiation(ctx.pipeline().get(SslHandler.class).engine());
    done.accept(this, protocol);
  }

  /** Returns the connection. */
  Channel channel() {
    return channel;
  }

  /** Ends the connection: no request has come in yet. */
  @Override
  public void finish() {
    channel.close();
  }

  @Override
  public CompletableFuture<?> finish(Duration limit) {
    CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
    channel.closeFuture().addListener(closed -> ended.complete(null));
    finish();
    return ended;
  }

  /**
   * Answers a client that speaks plain HTTP. This event arrives before the connection is closed.
   */
  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
    ChannelHandlerContext tls = ctx.pipeline().context(SslHandler.class);
    if (event instanceof SslHandshakeCompletionEvent done
        && done.cause() instanceof NotSslRecordException
        && tls != null) {
      tls.writeAndFlush(Unpooled.copiedBuffer(PLAIN, US_ASCII)); // not encrypted
    }
    super.userEventTriggered(ctx, event);
  }

  @Override
  protected void handshakeFailure(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close();
  }
}
