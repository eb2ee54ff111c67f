package dev.repartee.netty;

import dev.repartee.ProtocolException;
import dev.repartee.netty.http.HttpAddress;
import dev.repartee.netty.http.HttpFault;
import dev.repartee.netty.http.Proxy;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks a proxy for a tunnel to the server (CONNECT, RFC 9110 section 9.3.6). When the proxy agrees,
 * removes itself and its codec, and the handlers of the connection take over. Runs on the event
 * loop.
 */
final class ProxyTunnel extends SimpleChannelInboundHandler<HttpObject> {
  private final Proxy proxy;
  private final HttpAddress target;
  private final Runnable opened;
  private final Consumer<Throwable> failed;
  private final HttpClientCodec codec;
  private @Nullable HttpResponse head;

  /**
   * Creates the handler.
   *
   * @param opened adds the handlers of the connection to the pipeline
   * @param failed receives the reason if there is no tunnel
   */
  ProxyTunnel(
      Proxy proxy,
      HttpAddress target,
      int headerBytes,
      Runnable opened,
      Consumer<Throwable> failed) {
    this.proxy = proxy;
    this.target = target;
    this.opened = opened;
    this.failed = failed;
    this.codec = new HttpClientCodec(headerBytes, headerBytes, headerBytes);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    ctx.pipeline().addBefore(ctx.name(), null, codec);
  }

  /** Sends the request. The other handlers get this event when the tunnel is open. */
  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    DefaultFullHttpRequest connect =
        new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.CONNECT, target.authority());
    connect.headers().set(HttpHeaderNames.HOST, target.authority());
    if (proxy.authorization() != null) {
      connect.headers().set(HttpHeaderNames.PROXY_AUTHORIZATION, proxy.authorization());
    }
    ctx.writeAndFlush(connect);
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, HttpObject message) {
    if (message.decoderResult().isFailure()) {
      fail(
          ctx,
          new ProtocolException(
              "the proxy " + proxy + " sent bytes that are not an HTTP response"));
      return;
    }
    if (message instanceof HttpResponse response) {
      head = response;
    }
    HttpResponse response = head;
    if (response == null
        || response.status().codeClass() == HttpStatusClass.INFORMATIONAL
        || response.status().codeClass() == HttpStatusClass.SUCCESS
            && !(message instanceof LastHttpContent)) {
      return;
    }
    if (response.status().codeClass() == HttpStatusClass.SUCCESS) {
      ctx.pipeline().remove(codec); // first, since the next handlers write bytes immediately
      opened.run();
      ctx.fireChannelActive();
      ctx.pipeline().remove(this);
    } else {
      fail(ctx, HttpFault.of(response, HttpFault.refused(proxy, "a tunnel", response.status())));
    }
  }

  private void fail(ChannelHandlerContext ctx, Throwable cause) {
    failed.accept(cause);
    ctx.close();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    failed.accept(new IOException("the proxy " + proxy + " closed the connection"));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    fail(ctx, cause);
  }
}
