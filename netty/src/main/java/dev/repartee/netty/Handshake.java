package dev.repartee.netty;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.util.function.BiConsumer;

/** Waits for the handshake of TLS on a connection that came in, then has the agreed protocol served. */
final class Handshake extends ApplicationProtocolNegotiationHandler {
  private static final String PLAIN = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n"
      + "Connection: close\r\n\r\nTLS is spoken here: the address starts with https: or wss:.\n";

  private final BiConsumer<Channel, String> served;

  Handshake(BiConsumer<Channel, String> served) {
    super(ApplicationProtocolNames.HTTP_1_1);
    this.served = served;
  }

  @Override
  protected void configurePipeline(ChannelHandlerContext ctx, String protocol) {
    Tls.refuseRenegotiation(ctx.pipeline().get(SslHandler.class).engine());
    served.accept(ctx.channel(), protocol);
  }

  /** Comes before the connection is closed. */
  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
    ChannelHandlerContext tls = ctx.pipeline().context(SslHandler.class);
    if (event instanceof SslHandshakeCompletionEvent done
        && done.cause() instanceof NotSslRecordException
        && tls != null) {
      tls.writeAndFlush(Unpooled.copiedBuffer(PLAIN, US_ASCII)); // past the encryption
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
