package dev.repartee.netty;

import dev.repartee.transport.http.server.RequestPolicy;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2RemoteFlowController;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import org.jspecify.annotations.Nullable;

/** One stream of an HTTP/2 connection: a connection that carries a single request. */
final class Http2Request extends HttpConnection {
  private final Http2Connection connection;

  Http2Request(RequestPolicy policy, InFlightBytes inFlight, Http2Connection connection) {
    super(policy, inFlight);
    this.connection = connection;
  }

  @Override
  void addTo(ChannelPipeline pipeline) {
    pipeline.addLast(times(), new Http2StreamFrameToHttpObjectCodec(true), this);
  }

  @Override
  boolean opensWebSockets() {
    return false;
  }

  @Override
  boolean isBegun() {
    return isArriving();
  }

  /**
   * Returns the output that waits for the flow-control window. It is queued in the flow controller,
   * not in the buffer of this channel.
   */
  @Override
  public TimeLimitsHandler.@Nullable Unread unread(Channel channel) {
    Http2Stream stream =
        connection.stream(((Http2StreamChannel) channel).stream().id());
    Http2RemoteFlowController flow = connection.remote().flowController();
    return stream == null || !flow.hasFlowControlled(stream)
        ? null
        : new TimeLimitsHandler.Unread(stream, flow.windowSize(stream));
  }

  /**
   * Drops the request if the client resets the stream. The stream itself ends only when its input
   * has been read, which a gate delays: its decision must not start a call that nobody wants.
   */
  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof Http2ResetFrame) {
      abandon();
      proceed(ctx);
    }
    super.userEventTriggered(ctx, event);
  }

  /**
   * Resets the stream with the error that the client made, so that {@link Http2Resets} counts it.
   */
  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    Http2Exception fault = Http2CodecUtil.getEmbeddedHttp2Exception(cause);
    reset(ctx, fault == null ? Http2Error.INTERNAL_ERROR : fault.error());
  }

  /**
   * Resets the stream. A close alone would not reset it after the last frame was written, although
   * that frame may still wait for the flow-control window.
   */
  @Override
  void abort(ChannelHandlerContext ctx) {
    reset(ctx, Http2Error.CANCEL);
  }

  private static void reset(ChannelHandlerContext ctx, Http2Error error) {
    ctx.writeAndFlush(new DefaultHttp2ResetFrame(error));
    ctx.close();
  }

  /**
   * Resets the stream without an error: the rest of a request that is answered already is not
   * needed (RFC 9113 section 8.1).
   */
  @Override
  void answeredLast(ChannelHandlerContext ctx, boolean open) {
    ctx.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.NO_ERROR));
  }
}
