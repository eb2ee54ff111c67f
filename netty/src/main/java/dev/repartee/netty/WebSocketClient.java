package dev.repartee.netty;

import dev.repartee.Channel;
import dev.repartee.Endpoint;
import dev.repartee.Limits;
import dev.repartee.Options;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.websocketx.WebSocketClientHandshaker;
import io.netty.handler.codec.http.websocketx.WebSocketClientHandshakerFactory;
import io.netty.handler.codec.http.websocketx.WebSocketVersion;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Opens a WebSocket, as its client (RFC 6455 section 4.1). */
final class WebSocketClient extends SimpleChannelInboundHandler<FullHttpResponse> {
  private final WebSocketClientHandshaker handshaker;
  private final Limits limits;
  private final TimeWatch watch;
  private final CompletableFuture<Channel> opened = new CompletableFuture<>();

  private WebSocketClient(WebSocketClientHandshaker handshaker, Limits limits, TimeWatch watch) {
    this.handshaker = handshaker;
    this.limits = limits;
    this.watch = watch;
  }

  static Channel connect(Endpoint endpoint, HttpAddress address, Options options)
      throws IOException {
    Limits limits = options.limits();
    HttpHeaders headers = new DefaultHttpHeaders();
    CallerHeaders.put(options.headers(), headers);
    WebSocketClientHandshaker handshaker = WebSocketClientHandshakerFactory.newHandshaker(
        URI.create("ws://" + address.authority() + address.path()),
        WebSocketVersion.V13,
        endpoint.options().get("subprotocol"),
        false,
        headers,
        limits.frameBytes() - 1);
    TimeWatch watch = new TimeWatch(limits, Unlimited.INSTANCE);
    WebSocketClient client = new WebSocketClient(handshaker, limits, watch);
    EventLoops loops = EventLoops.shared();
    var connecting = new Bootstrap()
        .group(loops.group())
        .channel(loops.client())
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, millis(limits))
        .handler(client.initializer())
        .connect(address.host(), address.port());
    connecting.addListener(done -> {
      if (!done.isSuccess()) {
        client.opened.completeExceptionally(done.cause());
      }
    });
    try {
      return client.opened.get(millis(limits), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      Throwable cause = java.util.Objects.requireNonNullElse(e.getCause(), e);
      throw failed(endpoint, String.valueOf(cause.getMessage()), cause);
    } catch (TimeoutException e) {
      connecting.channel().close();
      throw failed(endpoint, "no answer within " + millis(limits) + " ms", e);
    } catch (InterruptedException e) {
      connecting.channel().close();
      Thread.currentThread().interrupt();
      throw failed(endpoint, "the waiting thread was interrupted", e);
    }
  }

  private static int millis(Limits limits) {
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, limits.connectTimeout().toMillis()));
  }

  private static IOException failed(Endpoint endpoint, String why, Throwable cause) {
    return new IOException(
        "cannot connect to " + endpoint.bare() + ": " + why + "; is something listening there?",
        cause);
  }

  private ChannelInitializer<io.netty.channel.Channel> initializer() {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(io.netty.channel.Channel channel) {
        channel
            .pipeline()
            .addLast(
                watch,
                new HttpClientCodec(
                    limits.headerBytes(), limits.headerBytes(), limits.headerBytes()),
                new HttpObjectAggregator(limits.headerBytes()),
                WebSocketClient.this);
      }
    };
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    handshaker.handshake(ctx.channel());
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, FullHttpResponse response) {
    io.netty.channel.Channel channel = ctx.channel();
    handshaker.finishHandshake(channel, response);
    WebSocketChannel socket = new WebSocketChannel(
        channel,
        limits,
        Map.of(RequestHeaders.KEY, new RequestHeaders(response.headers().copy())));
    channel.pipeline().addLast(socket.inflow());
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
