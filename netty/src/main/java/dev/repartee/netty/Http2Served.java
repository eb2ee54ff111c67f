package dev.repartee.netty;

import dev.repartee.Limits;
import dev.repartee.Responder;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http2.DefaultHttp2GoAwayFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2SettingsAckFrame;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The serving end of one HTTP/2 connection: what its streams share. Floods of resets, of empty frames
 * and of frames that have to be answered end it; the codec sees to that.
 */
final class Http2Served extends ChannelInboundHandlerAdapter
    implements ServedConnection, TimeWatch.Watched {
  private final Door door;
  private final Responder.@Nullable OneWay responder;
  private final TimeWatch watch;
  private final Http2FrameCodec codec;
  private final Http2Boundaries boundaries;
  private final Load load;
  private final Map<HttpConnection, Channel> streams = new LinkedHashMap<>();
  private @Nullable ChannelHandlerContext context;
  private boolean finishing;

  Http2Served(Door door, Responder.@Nullable OneWay responder, TimeWatch watch) {
    this.door = door;
    this.responder = responder;
    this.watch = watch;
    Limits limits = door.options().limits();
    this.codec = Http2Resets.codec()
        .initialSettings(new Http2Settings()
            .maxConcurrentStreams(HttpConnection.IN_FLIGHT)
            .maxHeaderListSize(limits.headerBytes()))
        .decoupleCloseAndGoAway(true)
        .validateRequiredPseudoHeaders(true)
        .build();
    refuseStreamsHere();
    this.boundaries = new Http2Boundaries(watch);
    this.load = new Load(limits.queuedBytes(), this::wake);
  }

  /** Takes a connection over whose client has sent its preface, or is about to. */
  void addTo(ChannelPipeline pipeline) {
    pipeline.addLast(boundaries, codec, new Http2MultiplexHandler(new Streams()), this);
    watch.hand(this);
  }

  private final class Streams extends ChannelInitializer<Channel> {
    @Override
    public boolean isSharable() {
      return true;
    }

    @Override
    protected void initChannel(Channel stream) {
      if (streams.size() >= HttpConnection.IN_FLIGHT) {
        stream.pipeline().addLast(new Refused());
        return;
      }
      Http2Request request = new Http2Request(door, responder, load, codec.connection());
      streams.put(request, stream);
      stream.closeFuture().addListener(closed -> ended(request));
      request.addTo(stream.pipeline());
    }
  }

  /**
   * Has {@link Streams} refuse the streams past the bound. The codec would refuse them too, but forgets
   * their ids: it takes the frames that follow on such a stream for an error of the connection, and
   * ends it.
   */
  private void refuseStreamsHere() {
    codec.connection().remote().maxActiveStreams(Integer.MAX_VALUE);
  }

  /** Refuses a stream, which the client may try again (RFC 9113 section 5.1.2). */
  private static final class Refused extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ReferenceCountUtil.release(message);
      ctx.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.REFUSED_STREAM));
    }
  }

  private ChannelHandlerContext context() {
    return java.util.Objects.requireNonNull(context);
  }

  /**
   * A stream that has to wait may keep its window full; the connection's own has room for all of them,
   * so that the others go on.
   */
  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
    int more = (HttpConnection.IN_FLIGHT - 1) * Http2CodecUtil.DEFAULT_WINDOW_SIZE;
    ctx.writeAndFlush(new DefaultHttp2WindowUpdateFrame(more));
  }

  /** What concerns the connection alone; the codec has dealt with it. */
  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof Http2SettingsAckFrame) {
      refuseStreamsHere(); // the codec has just set its own bound again
    }
    ReferenceCountUtil.release(message);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (Http2CodecUtil.getEmbeddedHttp2Exception(cause) == null) {
      ctx.close(); // of others the codec tells the client, and ends the connection itself
    }
  }

  private void wake() {
    context().executor().execute(() -> List.copyOf(streams.keySet()).forEach(HttpConnection::wake));
  }

  // ---------------------------------------------------------------- the end

  private void ended(HttpConnection stream) {
    streams.remove(stream);
    if (finishing && streams.isEmpty()) {
      ChannelHandlerContext ctx = context();
      ctx.writeAndFlush(Unpooled.EMPTY_BUFFER)
          .addListener(written -> HttpConnection.linger(ctx, written.isSuccess()));
    }
  }

  @Override
  public void finish() {
    context().executor().execute(this::goAway);
  }

  @Override
  public CompletableFuture<?> finish(Duration limit) {
    CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
    ChannelHandlerContext ctx = context();
    ctx.executor().execute(() -> {
      goAway();
      Future<?> cut = ctx.executor().schedule(this::cut, limit.toNanos(), TimeUnit.NANOSECONDS);
      ctx.channel().closeFuture().addListener(closed -> {
        cut.cancel(false);
        ended.complete(null);
      });
    });
    return ended;
  }

  /** Takes no further streams; those that the client has begun are answered. */
  private void goAway() {
    if (!finishing) {
      finishing = true;
      ChannelHandlerContext ctx = context();
      Future<?> told = ctx.writeAndFlush(new DefaultHttp2GoAwayFrame(Http2Error.NO_ERROR));
      if (streams.isEmpty()) {
        told.addListener(written -> ctx.close());
      }
    }
  }

  private void cut() {
    List.copyOf(streams.values()).forEach(Channel::close);
    ChannelHandlerContext ctx = context();
    ctx.executor().schedule(() -> ctx.close(), HttpConnection.LINGER_SECONDS, TimeUnit.SECONDS);
  }

  // ---------------------------------------------------------------- the limits of time

  @Override
  public boolean isOwed() {
    return boundaries.isAmid();
  }

  @Override
  public boolean isIdle() {
    return streams.isEmpty();
  }

  @Override
  public void passed(ChannelHandlerContext ctx, String limit, Duration time) {
    ctx.close();
  }
}
