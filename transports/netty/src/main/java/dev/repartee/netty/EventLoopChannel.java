package dev.repartee.netty;

import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.FrameQueue;
import dev.repartee.transport.OutboundFrame;
import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The base of the HTTP client and of WebSockets. Any thread may put frames into one write queue;
 * everything else runs on one event loop.
 *
 * <p>{@link FrameQueue#append} returns true to one caller only until the queue is empty again.
 * That caller schedules {@link #drain}, which sends the frames of the other callers too.
 *
 * @param <T> the content of the queue: frames, or messages that have one
 */
abstract class EventLoopChannel<T> implements Channel {
  final EventLoop loop;
  final Limits limits;
  final FrameQueue<T> writeQueue;
  private final ChannelInfo info;

  EventLoopChannel(EventLoop loop, Limits limits, FrameQueue<T> writeQueue, ChannelInfo info) {
    this.loop = loop;
    this.limits = limits;
    this.writeQueue = writeQueue;
    this.info = info;
  }

  /** Sends queued frames as far as possible now. Runs on the event loop. */
  abstract void drain();

  /**
   * Closes the write queue and the connection immediately. Later calls keep the first cause. Runs
   * on the event loop.
   */
  abstract void closed(@Nullable Throwable why);

  /** Runs a step on the event loop. If the step throws, the channel ends with that cause. */
  final void onLoop(Runnable step) {
    loop.execute(() -> {
      try {
        step.run();
      } catch (RuntimeException | Error e) {
        closed(e);
      }
    });
  }

  @Override
  public final OutboundFrame open() {
    return new OutboundFrame(limits.frameBytes() - 1);
  }

  /** Puts a frame into the write queue. */
  final void append(T frame) {
    boolean mine;
    try {
      mine = writeQueue.append(frame);
    } catch (LimitException e) {
      abort(e);
      throw new DisconnectedException("the connection was cut off", e);
    }
    if (mine) {
      onLoop(this::drain);
    }
  }

  @Override
  public final boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return writeQueue.awaitRoom(time, unit);
  }

  /**
   * Closes the write queue on the event loop, not on the calling thread: a step that runs on the
   * loop in between could mistake the closed queue for an orderly close.
   */
  @Override
  public final void abort(@Nullable Throwable cause) {
    onLoop(() -> closed(cause));
  }

  @Override
  public final ChannelInfo info() {
    return info;
  }
}
