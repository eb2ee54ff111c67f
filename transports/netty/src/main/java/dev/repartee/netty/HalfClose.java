package dev.repartee.netty;

import dev.repartee.netty.tls.Tls;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannelConfig;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The end of the client's output on a connection that must still send responses. Runs on the event
 * loop.
 *
 * <p>Most of these clients have disconnected, and their handlers should be cancelled; some still
 * wait for responses. Only a write distinguishes the two: the system of a client that has
 * disconnected answers with a reset. Therefore the client is probed until all requests are
 * answered.
 */
final class HalfClose {
  /** The time before the first probe; it doubles for each further probe. */
  private static final Duration FIRST_PROBE = Duration.ofMillis(100);

  private final Duration limit;
  private final ResponseQueue responses;
  private boolean inputEnded;
  private @Nullable Future<?> probe;

  /** The end of the time for responses. */
  private @Nullable Future<?> deadline;

  /**
   * Creates the state of a client that has not ended its output.
   *
   * @param limit the time for responses after the end of the client's output; zero is no limit
   */
  HalfClose(Duration limit, ResponseQueue responses) {
    this.limit = limit;
    this.responses = responses;
  }

  /**
   * Sets whether the connection outlives the end of the client's output. If it does not, Netty
   * closes the socket at that moment, and unsent responses are lost. A client of HTTP/1.0 cannot be
   * probed, because it does not know {@code 100 Continue}. Under TLS the end of one direction may
   * end both (RFC 5246 section 7.2.1).
   */
  static void allow(Channel channel, boolean allowed) {
    if (channel.config() instanceof DuplexChannelConfig config
        && config.isAllowHalfClosure() != allowed
        && !Tls.isOn(channel)) {
      config.setAllowHalfClosure(allowed);
    }
  }

  /** Returns whether the client has ended its output. It may still read. */
  boolean isInputEnded() {
    return inputEnded;
  }

  /** Starts the probes and the time limit. */
  void inputEnded(ChannelHandlerContext ctx) {
    inputEnded = true;
    if (!limit.isZero()) {
      deadline = ctx.executor().schedule(() -> ctx.close(), limit.toNanos(), TimeUnit.NANOSECONDS);
    }
    scheduleProbe(ctx, FIRST_PROBE.toNanos());
  }

  private void scheduleProbe(ChannelHandlerContext ctx, long nanos) {
    probe = ctx.executor().schedule(() -> probe(ctx, nanos), nanos, TimeUnit.NANOSECONDS);
  }

  private void probe(ChannelHandlerContext ctx, long nanos) {
    if (!responses.isEmpty()) { // otherwise a gate has not decided about the last request yet
      responses.writeProbe(ctx);
    }
    scheduleProbe(ctx, 2 * nanos);
  }

  /** Cancels the probes and the time limit, because the connection has ended. */
  void cancel() {
    if (probe != null) {
      probe.cancel(false);
    }
    if (deadline != null) {
      deadline.cancel(false);
    }
  }
}
