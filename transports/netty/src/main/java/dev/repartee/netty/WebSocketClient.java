package dev.repartee.netty;

import dev.repartee.HttpException;
import dev.repartee.ProtocolException;
import dev.repartee.limits.Limits;
import dev.repartee.limits.TimeLimits;
import dev.repartee.netty.http.Deflate;
import dev.repartee.netty.http.HttpAddress;
import dev.repartee.netty.http.HttpFault;
import dev.repartee.netty.http.RequestHeaders;
import dev.repartee.transport.Channel;
import dev.repartee.transport.FrameQueue;
import dev.repartee.transport.Headers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.websocketx.WebSocketClientHandshaker;
import io.netty.handler.codec.http.websocketx.WebSocketClientHandshaker13;
import io.netty.handler.codec.http.websocketx.WebSocketVersion;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketClientExtensionHandler;
import io.netty.util.concurrent.Future;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Opens a WebSocket as its client (RFC 6455 section 4.1). */
final class WebSocketClient extends SimpleChannelInboundHandler<HttpObject> {
  /**
   * A placeholder. The handshaker only makes and checks the key; {@code newHandshakeRequest} sets
   * the real target.
   */
  private static final URI ANYWHERE = URI.create("ws://localhost/");

  private final WebSocketClientHandshaker handshaker;
  private final HttpAddress address;
  private final String isItHttp;
  private final Limits limits;
  private final TimeLimitsHandler times;
  private final boolean deflate;
  private final CompletableFuture<Channel> opened = new CompletableFuture<>();

  /** The beginning of the server's error page, if it refuses the handshake. */
  private final ByteArrayOutputStream refusal = new ByteArrayOutputStream();

  private @Nullable HttpResponse head;

  private WebSocketClient(Dialer dialer, Limits limits, Headers headers, TimeLimitsHandler times) {
    this.handshaker = handshaker(dialer, limits, headers);
    this.address = dialer.address();
    this.isItHttp = dialer.isItHttp();
    this.limits = limits;
    this.times = times;
    this.deflate = Deflate.isOn(dialer.endpoint());
  }

  /**
   * Connects and shakes hands. Blocks up to {@code connectTimeout}.
   *
   * @throws IOException if that fails, with the reason in its message
   */
  static Channel connect(Dialer dialer, Limits limits, Headers headers) throws IOException {
    TimeLimitsHandler times = new TimeLimitsHandler(limits, Unlimited.INSTANCE);
    WebSocketClient client = new WebSocketClient(dialer, limits, headers, times);
    List<ChannelHandler> handlers = new ArrayList<>(List.of(
        times,
        new HttpClientCodec(limits.headerBytes(), limits.headerBytes(), limits.headerBytes()),
        client));
    if (client.deflate) {
      handlers.add(2, Deflate.client(limits.frameBytes()));
    }
    Future<io.netty.channel.Channel> dialled =
        dialer.dial(EventLoops.shared().group().next(), handlers.toArray(ChannelHandler[]::new));
    dialled.addListener(done -> {
      if (!done.isSuccess()) {
        client.opened.completeExceptionally(done.cause());
      }
    });
    return dialer.await(client.opened, dialled);
  }

  private static WebSocketClientHandshaker handshaker(
      Dialer dialer, Limits limits, Headers fields) {
    HttpHeaders headers = new DefaultHttpHeaders();
    fields.fields().forEach(headers::set);
    HttpAddress address = dialer.address();
    return new WebSocketClientHandshaker13(
        ANYWHERE,
        WebSocketVersion.V13,
        dialer.endpoint().options().get("subprotocol"),
        Deflate.isOn(dialer.endpoint()),
        headers,
        limits.frameBytes() - 1) {
      @Override
      protected FullHttpRequest newHandshakeRequest() {
        FullHttpRequest request = super.newHandshakeRequest().setUri(address.path());
        String origin = (address.isSecure() ? "https://" : "http://") + address.hostHeader();
        request.headers().set(HttpHeaderNames.HOST, address.hostHeader());
        request.headers().set(HttpHeaderNames.ORIGIN, origin);
        fields.fields().forEach(request.headers()::set);
        return request;
      }
    };
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    handshaker.handshake(ctx.channel());
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, HttpObject message) {
    if (message.decoderResult().isFailure()) {
      fail(ctx, new ProtocolException("the server sent bytes that are not an HTTP response"));
      return;
    }
    if (message instanceof HttpResponse response) {
      head = response;
    }
    HttpResponse response = Objects.requireNonNull(head);
    boolean isLast = message instanceof LastHttpContent;
    if (response.status().equals(HttpResponseStatus.SWITCHING_PROTOCOLS)) {
      if (isLast) {
        open(ctx.channel(), response);
      }
    } else if (response.status().codeClass() != HttpStatusClass.INFORMATIONAL) {
      if (message instanceof HttpContent content) {
        collect(content.content());
      }
      if (isLast || refusal.size() >= HttpFault.TOLD) {
        fail(ctx, refused(response));
      }
    }
  }

  /** Collects as much of the start of the server's error page as a message shows. */
  private void collect(ByteBuf page) {
    byte[] more = new byte[Math.min(page.readableBytes(), HttpFault.TOLD - refusal.size())];
    page.readBytes(more);
    refusal.writeBytes(more);
  }

  private HttpException refused(HttpResponse response) {
    byte[] page = refusal.toByteArray();
    return HttpFault.of(
        response,
        "it answered with " + HttpFault.status(response, address)
            + HttpFault.told(response, page, page.length));
  }

  private void open(io.netty.channel.Channel channel, HttpResponse response) {
    // RFC 6455 section 4.1: an extension that was not offered fails the connection.
    if (response.headers().getAll(HttpHeaderNames.SEC_WEBSOCKET_EXTENSIONS).size()
        > (deflate ? 1 : 0)) {
      throw new ProtocolException("it uses an extension of WebSocket that was not offered");
    }
    handshaker.finishHandshake(
        channel,
        new DefaultFullHttpResponse(
            response.protocolVersion(),
            response.status(),
            Unpooled.EMPTY_BUFFER,
            response.headers(),
            EmptyHttpHeaders.INSTANCE));
    WebSocketChannel socket = new WebSocketChannel(
        channel,
        limits,
        FrameQueue.asked(limits.outboundBytes(), Connections.remote(channel)),
        MessageBytes.asked(limits.frameBytes()),
        RequestHeaders.attributes(Connections.attributes(channel), response),
        false);
    socket.inflow().join(channel.pipeline(), WebSocketClientExtensionHandler.class);
    channel.pipeline().remove(this);
    times.hand(socket.inflow());
    if (!opened.complete(socket)) {
      channel.close(); // the caller has stopped waiting
    }
  }

  private void fail(ChannelHandlerContext ctx, Throwable cause) {
    opened.completeExceptionally(cause);
    ctx.close();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    fail(ctx, cause);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    HttpResponse response = head;
    opened.completeExceptionally(
        response == null || response.status().codeClass() == HttpStatusClass.INFORMATIONAL
            ? new IOException("the connection was closed without an answer" + isItHttp)
            : refused(response));
  }

  /** No time limits: {@code connectTimeout} applies until the handshake is done. */
  private enum Unlimited implements TimeLimitsHandler.Watched {
    INSTANCE;

    @Override
    public boolean isMessageDue() {
      return false;
    }

    @Override
    public boolean isIdle() {
      return false;
    }

    @Override
    public void passed(ChannelHandlerContext ctx, TimeLimits.Limit limit) {
      ctx.close();
    }
  }
}
