package dev.repartee.netty;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.DecoratingHttp2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2LifecycleManager;
import io.netty.handler.codec.http2.Http2Settings;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends a connection with too many stream resets that the client has provoked by protocol errors.
 * After each reset the client may open another stream, although the handler of the old stream may
 * still run (CVE-2025-55163).
 *
 * <p>The codec's own limit is switched off, because it counts all resets but CANCEL and NO_ERROR.
 * It would end the connection of a client that opens many streams before it has read our settings,
 * or that sends for a moment on streams that are already refused or reset. No handler runs for
 * these streams; therefore these resets are not counted here. A further limit of the codec bounds
 * the number of queued resets.
 */
final class Http2Resets extends DecoratingHttp2ConnectionEncoder {
  /** The maximum number of counted resets within {@code SECONDS}. */
  private static final int MAX = 200;

  private static final int SECONDS = 30;

  private @Nullable Http2LifecycleManager lifecycle;
  private long since = System.nanoTime();
  private int counted;

  private Http2Resets(Http2ConnectionEncoder encoder) {
    super(encoder);
  }

  /** Returns a builder of a server's codec, with this limit in place of the codec's own. */
  static Http2FrameCodecBuilder codec() {
    return new Builder()
        .encoderEnforceMaxRstFramesPerWindow(0, 0)
        .gracefulShutdownTimeoutMillis(0); // as in Http2FrameCodecBuilder.forServer
  }

  private static final class Builder extends Http2FrameCodecBuilder {
    @Override
    public boolean isServer() {
      return true;
    }

    @Override
    protected Http2FrameCodec build(
        Http2ConnectionDecoder decoder, Http2ConnectionEncoder encoder, Http2Settings settings) {
      return super.build(decoder, new Http2Resets(encoder), settings);
    }
  }

  @Override
  public void lifecycleManager(Http2LifecycleManager manager) {
    lifecycle = manager;
    super.lifecycleManager(manager);
  }

  @Override
  public ChannelFuture writeRstStream(
      ChannelHandlerContext ctx, int stream, long error, ChannelPromise promise) {
    create(stream);
    // The stream of a repeated reset no longer exists; the reset is not counted again.
    boolean counts = connection().stream(stream) != null && isFault(error);
    ChannelFuture written = super.writeRstStream(ctx, stream, error, promise);
    if (counts) {
      count(ctx);
    }
    return written;
  }

  /**
   * Creates a stream that has a malformed header block. The codec resets such a stream without
   * creating it, and would treat the body that the client has already sent as a connection error.
   */
  private void create(int stream) {
    Http2Connection connection = connection();
    if (connection.remote().isValidStreamId(stream) && !connection.streamMayHaveExisted(stream)) {
      try {
        connection.remote().createStream(stream, false);
      } catch (Http2Exception tooMany) {
        // The reset is sent anyway; later frames on this stream end the connection.
      }
    }
  }

  private static boolean isFault(long error) {
    return error != Http2Error.NO_ERROR.code()
        && error != Http2Error.CANCEL.code()
        && error != Http2Error.REFUSED_STREAM.code();
  }

  private void count(ChannelHandlerContext ctx) {
    long now = System.nanoTime();
    if (now - since >= TimeUnit.SECONDS.toNanos(SECONDS)) {
      since = now;
      counted = 0;
    }
    counted++;
    if (counted > MAX) {
      Objects.requireNonNull(lifecycle)
          .onError(
              ctx,
              true,
              Http2Exception.connectionError(
                  Http2Error.ENHANCE_YOUR_CALM, "%d streams had faults", counted));
      ctx.close();
    }
  }
}
