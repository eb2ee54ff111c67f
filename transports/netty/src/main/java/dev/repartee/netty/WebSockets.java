package dev.repartee.netty;

import dev.repartee.netty.http.RequestDecoder;
import dev.repartee.transport.FrameQueue;
import dev.repartee.transport.http.server.RequestPolicy;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.websocketx.WebSocketDecoderConfig;
import io.netty.handler.codec.http.websocketx.WebSocketFrameDecoder;
import io.netty.handler.codec.http.websocketx.WebSocketHandshakeException;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshaker;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshaker13;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketServerExtensionHandler;

/** Turns an HTTP connection into a WebSocket, as its server (RFC 6455 section 4.2). */
final class WebSockets {
  private WebSockets() {}

  /**
   * Answers the handshake, and replaces the handlers of HTTP by the handlers of the WebSocket.
   *
   * @param arrival the request; the acceptor of its route receives the WebSocket
   * @param decoder the HTTP decoder, which may hold bytes that follow the handshake
   */
  static void accept(
      ChannelHandlerContext ctx,
      Arrival arrival,
      RequestPolicy policy,
      TimeLimitsHandler times,
      HttpConnection connection,
      RequestDecoder decoder) {
    Channel channel = ctx.channel();
    HttpRequest request = arrival.head.request();
    // A client must not send frames before it has read our response, but some clients do. These
    // frames must not reach the new decoder before that response is written.
    ByteBuf early = decoder.takeRest();
    WebSocketChannel socket = new WebSocketChannel(
        channel,
        policy.limits(),
        FrameQueue.served(policy.limits().outboundBytes(), Connections.remote(channel)),
        MessageBytes.served(policy.limits().frameBytes()),
        arrival.attributes(),
        true);
    WebSocketServerHandshaker handshaker = handshaker(
        policy,
        channel.pipeline().get(WebSocketServerExtensionHandler.class) != null,
        socket.inflow());
    FullHttpRequest whole = new DefaultFullHttpRequest(
        request.protocolVersion(),
        request.method(),
        request.uri(),
        Unpooled.EMPTY_BUFFER,
        request.headers(),
        EmptyHttpHeaders.INSTANCE);
    try {
      ChannelFuture answered = handshaker.handshake(channel, whole);
      socket.inflow().join(channel.pipeline(), WebSocketServerExtensionHandler.class);
      channel.pipeline().remove(connection);
      times.hand(socket.inflow());
      answered.addListener(sent -> {
        if (!sent.isSuccess()) {
          channel.close();
        }
      });
      arrival.route.acceptor().accept(socket);
      channel.pipeline().context(times).fireChannelRead(early.retain());
    } catch (WebSocketHandshakeException e) {
      channel.close();
    } catch (RuntimeException e) {
      socket.abort(e);
    } finally {
      early.release();
    }
  }

  private static WebSocketServerHandshaker handshaker(
      RequestPolicy policy, boolean extended, WebSocketFlowControl inflow) {
    WebSocketDecoderConfig config = WebSocketDecoderConfig.newBuilder()
        .maxFramePayloadLength(policy.limits().frameBytes() - 1)
        .closeOnProtocolViolation(false)
        .allowExtensions(extended)
        .build();
    return new WebSocketServerHandshaker13("", policy.subprotocol(), config) {
      @Override
      protected WebSocketFrameDecoder newWebsocketDecoder() {
        return inflow.decoder(decoderConfig());
      }
    };
  }
}
