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
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends a connection whose client makes us reset many streams by faults of its own: each reset makes room
 * for another stream, though the handler of the one before may still run (CVE-2025-55163).
 *
 * <p>The codec's own limit counts all resets but CANCEL and NO_ERROR. It would end the connection of a
 * client that opens many streams before it has read our settings, or that sends on for a moment on
 * streams that we have refused or reset. These resets are not counted here: no handler runs for them.
 * Another limit of the codec bounds how many resets wait to leave.
 */
final class Http2Resets extends DecoratingHttp2ConnectionEncoder {
  private static final int MAX = 200;
  private static final int SECONDS = 30;

  private @Nullable Http2LifecycleManager lifecycle;
  private long since = System.nanoTime();
  private int counted;

  private Http2Resets(Http2ConnectionEncoder encoder) {
    super(encoder);
  }

  /** Returns a builder of the codec of a server, with this limit in place of the codec's own. */
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
    boolean counts = connection().stream(stream) != null && isFault(error);
    ChannelFuture written = super.writeRstStream(ctx, stream, error, promise);
    if (counts) {
      count(ctx);
    }
    return written;
  }

  /**
   * Creates a stream whose header block was malformed. The codec resets such a stream without creating
   * it, and then takes the body that the client has sent behind the header for an error of the connection.
   */
  private void create(int stream) {
    Http2Connection connection = connection();
    if (connection.remote().isValidStreamId(stream) && !connection.streamMayHaveExisted(stream)) {
      try {
        connection.remote().createStream(stream, false);
      } catch (Http2Exception tooMany) {
        // The reset leaves all the same; frames that follow it on this stream end the connection.
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
      java.util.Objects.requireNonNull(lifecycle)
          .onError(
              ctx,
              true,
              Http2Exception.connectionError(
                  Http2Error.ENHANCE_YOUR_CALM, "%d streams had faults", counted));
      ctx.close();
    }
  }
}
