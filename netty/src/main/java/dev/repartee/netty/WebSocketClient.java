package dev.repartee.netty;

import dev.repartee.Channel;
import dev.repartee.Limits;
import dev.repartee.Options;
import dev.repartee.ProtocolException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketClientHandshaker;
import io.netty.handler.codec.http.websocketx.WebSocketClientHandshakerFactory;
import io.netty.handler.codec.http.websocketx.WebSocketVersion;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketClientExtensionHandler;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Opens a WebSocket, as its client (RFC 6455 section 4.1). */
final class WebSocketClient extends SimpleChannelInboundHandler<FullHttpResponse> {
  private final WebSocketClientHandshaker handshaker;
  private final HttpAddress address;
  private final Limits limits;
  private final TimeWatch watch;
  private final CompletableFuture<Channel> opened = new CompletableFuture<>();

  private WebSocketClient(
      WebSocketClientHandshaker handshaker, HttpAddress address, Limits limits, TimeWatch watch) {
    this.handshaker = handshaker;
    this.address = address;
    this.limits = limits;
    this.watch = watch;
  }

  static Channel connect(Dialer dialer, Options options) throws IOException {
    Limits limits = options.limits();
    TimeWatch watch = new TimeWatch(limits, Unlimited.INSTANCE);
    WebSocketClient client =
        new WebSocketClient(handshaker(dialer, options), dialer.address(), limits, watch);
    List<ChannelHandler> handlers = new ArrayList<>(List.of(
        watch,
        new HttpClientCodec(limits.headerBytes(), limits.headerBytes(), limits.headerBytes()),
        new HttpObjectAggregator(limits.headerBytes()),
        client));
    if (Deflate.isOn(dialer.endpoint())) {
      handlers.add(3, Deflate.client(limits.frameBytes()));
    }
    ChannelFuture dialled =
        dialer.dial(EventLoops.shared().group(), handlers.toArray(ChannelHandler[]::new));
    dialled.addListener(done -> {
      if (!done.isSuccess()) {
        client.opened.completeExceptionally(done.cause());
      }
    });
    try {
      return client.opened.get(dialer.millis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw dialer.failed(java.util.Objects.requireNonNullElse(e.getCause(), e));
    } catch (TimeoutException e) {
      dialled.channel().close();
      throw dialer.late(e);
    } catch (InterruptedException e) {
      dialled.channel().close();
      Thread.currentThread().interrupt();
      throw dialer.failed("the waiting thread was interrupted", e);
    }
  }

  private static WebSocketClientHandshaker handshaker(Dialer dialer, Options options) {
    HttpHeaders headers = new DefaultHttpHeaders();
    CallerHeaders.put(options.headers(), headers);
    HttpAddress address = dialer.address();
    return WebSocketClientHandshakerFactory.newHandshaker(
        URI.create(dialer.endpoint().scheme() + "://" + address.authority() + address.path()),
        WebSocketVersion.V13,
        dialer.endpoint().options().get("subprotocol"),
        Deflate.isOn(dialer.endpoint()),
        headers,
        options.limits().frameBytes() - 1);
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    handshaker.handshake(ctx.channel());
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, FullHttpResponse response) {
    io.netty.channel.Channel channel = ctx.channel();
    if (!response.status().equals(HttpResponseStatus.SWITCHING_PROTOCOLS)) {
      opened.completeExceptionally(new ProtocolException("it answered with "
          + HttpFault.status(response, address) + HttpFault.told(response.content())));
      channel.close();
      return;
    }
    handshaker.finishHandshake(channel, response);
    WebSocketChannel socket = new WebSocketChannel(
        channel,
        limits,
        OutboundFrames.asked(limits.outboundBytes(), WebSockets.remote(channel)),
        MessageBytes.asked(limits.frameBytes()),
        Map.of(RequestHeaders.KEY, new RequestHeaders(response.headers().copy())));
    socket.inflow().join(channel.pipeline(), WebSocketClientExtensionHandler.class);
    channel.pipeline().remove(this);
    watch.hand(socket.inflow());
    if (!opened.complete(socket)) {
      channel.close(); // nobody waits for it any more
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    opened.completeExceptionally(cause);
    ctx.close();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    opened.completeExceptionally(new IOException("the connection was closed"));
  }

  /** While the handshake is under way its own time limit holds. */
  private enum Unlimited implements TimeWatch.Watched {
    INSTANCE;

    @Override
    public boolean isOwed() {
      return false;
    }

    @Override
    public boolean isIdle() {
      return false;
    }

    @Override
    public void passed(ChannelHandlerContext ctx, String limit, java.time.Duration time) {
      ctx.close();
    }
  }
}
