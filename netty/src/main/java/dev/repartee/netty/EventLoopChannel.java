package dev.repartee.netty;

import dev.repartee.Channel;
import dev.repartee.ChannelInfo;
import dev.repartee.DisconnectedException;
import dev.repartee.LimitException;
import dev.repartee.Limits;
import dev.repartee.Output;
import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the channels here share: frames of any thread wait in one queue, and all else happens on one
 * event loop.
 */
abstract class EventLoopChannel implements Channel {
  final EventLoop loop;
  final Limits limits;
  final OutboundFrames outbound;
  private final ChannelInfo info;

  EventLoopChannel(EventLoop loop, Limits limits, OutboundFrames outbound, ChannelInfo info) {
    this.loop = loop;
    this.limits = limits;
    this.outbound = outbound;
    this.info = info;
  }

  /** Sends what waits, as far as that is possible now; on the event loop. */
  abstract void drain();

  /** Shuts the way out and ends everything, unless that was done already; on the event loop. */
  abstract void end(@Nullable Throwable why);

  /** Runs the step on the event loop; if it throws the channel ends. */
  final void onLoop(Runnable step) {
    loop.execute(() -> {
      try {
        step.run();
      } catch (RuntimeException | Error e) {
        end(e);
      }
    });
  }

  @Override
  public final Output open() {
    return new Output().limit(limits.frameBytes() - 1);
  }

  @Override
  public final void commit(Output frame) {
    boolean mine;
    try {
      mine = outbound.append(frame);
    } catch (LimitException e) {
      abort(e);
      throw new DisconnectedException("the connection was cut off", e);
    }
    if (mine) {
      onLoop(this::drain);
    }
  }

  @Override
  public final void discard(Output frame) {}

  @Override
  public final boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return outbound.awaitRoom(time, unit);
  }

  /** Shuts the way out on the loop only: before, a step there could take it for an orderly close. */
  @Override
  public final void abort(@Nullable Throwable cause) {
    onLoop(() -> end(cause));
  }

  @Override
  public final ChannelInfo info() {
    return info;
  }
}
