package dev.repartee.netty;

import dev.repartee.limits.Limits;
import dev.repartee.limits.TimeLimits;
import dev.repartee.transport.http.server.RequestPolicy;
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
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The server side of one HTTP/2 connection: the state that its streams share. The codec ends a
 * connection that floods it with resets, empty frames or frames that require an answer.
 *
 * <p>A connection is open until {@link #goAway} sends GOAWAY ({@code finishing}). It then accepts
 * no further streams, and ends after the last response or at the limit of {@link
 * #finish(Duration)}. Everything runs on the event loop, except {@code finish}, which any thread
 * may call.
 */
final class Http2ServerConnection extends ChannelInboundHandlerAdapter
    implements ServedConnection, TimeLimitsHandler.Watched {
  private final RequestPolicy policy;
  private final TimeLimitsHandler times;
  private final Http2FrameCodec codec;
  private final Http2Boundaries boundaries;
  private final InFlightBytes inFlight;
  private final Map<HttpConnection, Channel> streams = new LinkedHashMap<>();
  private @Nullable ChannelHandlerContext context;
  private boolean finishing;

  Http2ServerConnection(RequestPolicy policy, TimeLimitsHandler times) {
    this.policy = policy;
    this.times = times;
    Limits limits = policy.limits();
    this.codec = Http2Resets.codec()
        .initialSettings(new Http2Settings()
            .maxConcurrentStreams(HttpConnection.IN_FLIGHT)
            .maxHeaderListSize(limits.headerBytes()))
        .decoupleCloseAndGoAway(true)
        .validateRequiredPseudoHeaders(true)
        .build();
    refuseStreamsHere();
    this.boundaries = new Http2Boundaries(times);
    this.inFlight = new InFlightBytes(limits.queuedBytes(), this::resumeReading);
  }

  /**
   * Adds the handlers of HTTP/2 to a connection, and takes over its time limits. The client has
   * sent the preface, or is about to.
   */
  void addTo(ChannelPipeline pipeline) {
    pipeline.addLast(boundaries, codec, new Http2MultiplexHandler(new Streams()), this);
    times.hand(this);
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
      Http2Request request = new Http2Request(policy, inFlight, codec.connection());
      streams.put(request, stream);
      stream.closeFuture().addListener(closed -> ended(request));
      request.addTo(stream.pipeline());
    }
  }

  /**
   * Disables the codec's limit of streams; {@link Streams} refuses the excess ones instead. The
   * codec would refuse them too, but it forgets their ids: it treats the next frames on such a
   * stream as a connection error and ends the connection.
   */
  private void refuseStreamsHere() {
    codec.connection().remote().maxActiveStreams(Integer.MAX_VALUE);
  }

  /** Refuses a stream. The client may send the request again (RFC 9113 section 5.1.2). */
  private static final class Refused extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ReferenceCountUtil.release(message);
      ctx.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.REFUSED_STREAM));
    }
  }

  private ChannelHandlerContext context() {
    return Objects.requireNonNull(context);
  }

  /**
   * Enlarges the flow-control window of the connection to the windows of all streams together.
   * Streams that must wait may fill their own windows, and must not block the others.
   */
  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
    int more = (HttpConnection.IN_FLIGHT - 1) * Http2CodecUtil.DEFAULT_WINDOW_SIZE;
    ctx.writeAndFlush(new DefaultHttp2WindowUpdateFrame(more));
  }

  /** Drops the frames of the connection itself, which the codec has handled. */
  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof Http2SettingsAckFrame) {
      refuseStreamsHere(); // the codec has just restored its own limit
    }
    ReferenceCountUtil.release(message);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (Http2CodecUtil.getEmbeddedHttp2Exception(cause) == null) {
      ctx.close(); // for HTTP/2 errors the codec sends GOAWAY or a reset itself
    }
  }

  private void resumeReading() {
    context()
        .executor()
        .execute(() -> List.copyOf(streams.keySet()).forEach(HttpConnection::resumeReading));
  }

  // ---------------------------------------------------------------- the end

  /**
   * Removes a stream. After GOAWAY, the last stream ends the connection when its response is
   * written.
   */
  private void ended(HttpConnection stream) {
    streams.remove(stream);
    if (finishing && streams.isEmpty()) {
      ChannelHandlerContext ctx = context();
      ctx.writeAndFlush(Unpooled.EMPTY_BUFFER)
          .addListener(written -> ServedConnection.linger(ctx, written.isSuccess()));
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
      ServedConnection.endWithin(ctx, limit, this::closeAfterTimeout, ended);
    });
    return ended;
  }

  /**
   * Sends GOAWAY: no further streams are accepted; the requests that the client has begun are
   * answered.
   */
  private void goAway() {
    if (!finishing) {
      finishing = true;
      ChannelHandlerContext ctx = context();
      Future<?> sent = ctx.writeAndFlush(new DefaultHttp2GoAwayFrame(Http2Error.NO_ERROR));
      if (streams.isEmpty()) {
        sent.addListener(written -> ServedConnection.linger(ctx, written.isSuccess()));
      }
    }
  }

  /**
   * Closes all streams, and the connection a moment later; in that moment, written resets can be
   * sent.
   */
  private void closeAfterTimeout() {
    List.copyOf(streams.values()).forEach(Channel::close);
    ChannelHandlerContext ctx = context();
    ctx.executor().schedule(() -> ctx.close(), LINGER_SECONDS, TimeUnit.SECONDS);
  }

  // ---------------------------------------------------------------- time limits

  @Override
  public boolean isMessageDue() {
    return boundaries.isAmid();
  }

  @Override
  public boolean isIdle() {
    return streams.isEmpty();
  }

  @Override
  public void passed(ChannelHandlerContext ctx, TimeLimits.Limit limit) {
    ctx.close();
  }
}
