package dev.repartee.netty;

import dev.repartee.DisconnectedException;
import dev.repartee.HeldBytes;
import dev.repartee.LimitException;
import dev.repartee.Output;
import dev.repartee.ReadingThread;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The frames that wait to leave on one connection, in the order of their commit. A frame waits until
 * the socket has taken it. Thread-safe.
 */
final class OutboundFrames {
  /** What waits of that many bytes is not counted. */
  private static final int FREE = 64 << 10;

  /** Those who wait for room may all find some at once, which takes more than there is. */
  private static final int FLOODED = 4;

  private final int max;
  private final String remote;
  private final HeldBytes.Share share;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition room = lock.newCondition();

  // Guarded by the lock; the volatile ones are only written under it.
  private final Queue<Output> queue = new ArrayDeque<>();
  private boolean scheduled;
  private long held;
  private volatile long waiting;
  private volatile long answers;
  private volatile boolean shut;
  private @Nullable Throwable cause;

  private OutboundFrames(int max, int free, String remote) {
    this.max = max;
    this.remote = remote;
    this.share = HeldBytes.ofAnswers().share(free);
  }

  /** Those to whoever connected to us: they count as held until they are read. */
  static OutboundFrames served(int max, String remote) {
    return new OutboundFrames(max, FREE, remote);
  }

  /** Those to whom we connected, which is our own choice. */
  static OutboundFrames asked(int max, String remote) {
    return new OutboundFrames(max, Integer.MAX_VALUE, remote);
  }

  /**
   * Appends a frame.
   *
   * @return whether the caller must now see to it that {@link #next} is asked
   * @throws DisconnectedException if the way out is shut
   * @throws LimitException if there is no room for it: the connection should end
   */
  boolean append(Output frame) {
    lock.lock();
    try {
      if (shut) {
        throw DisconnectedException.closed(remote, cause);
      }
      if (!share.hold(held + frame.array().length)) {
        throw share.refusal();
      }
      held += frame.array().length;
      queue.add(frame);
      waiting += frame.size();
      answers += frame.isInitiated() ? 0 : frame.size();
      boolean mine = !scheduled;
      scheduled = true;
      return mine;
    } finally {
      lock.unlock();
    }
  }

  /** The frame to write next; null where there is none. */
  @Nullable Output next() {
    lock.lock();
    try {
      Output frame = queue.poll();
      scheduled = frame != null;
      return frame;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes note that the socket has taken a frame.
   *
   * @return whether there is room for answers where there was none
   */
  boolean left(Output frame) {
    lock.lock();
    try {
      long before = waiting;
      long answersBefore = answers;
      held -= frame.array().length;
      share.hold(held);
      waiting -= frame.size();
      answers -= frame.isInitiated() ? 0 : frame.size();
      if (before > max / 2 && waiting <= max / 2) {
        room.signalAll();
      }
      return answersBefore > max / 2 && answers <= max / 2;
    } finally {
      lock.unlock();
    }
  }

  /** Whether there is room for the answers that reading on will cause. */
  boolean takesReplies() {
    return answers <= max;
  }

  /** Whether so much waits that only senders who do not wait for room can have caused it. */
  boolean isFlooded() {
    return waiting > FLOODED * (long) max;
  }

  boolean isShut() {
    return shut;
  }

  /** Whether nothing more will ever leave: a frame may come in between the last and the shutting. */
  boolean isFinished() {
    lock.lock();
    try {
      return shut && queue.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Lets nothing more in; what waits may still leave. */
  void shut(@Nullable Throwable why) {
    lock.lock();
    try {
      if (!shut) {
        shut = true;
        cause = why;
      }
      room.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for room; see {@link dev.repartee.Channel#awaitRoom}. */
  boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    if (!shut && waiting <= max) {
      return true;
    }
    long nanos = ReadingThread.isCurrent() ? 0 : unit.toNanos(time);
    lock.lockInterruptibly();
    try {
      while (!shut && waiting > max && nanos > 0) {
        nanos = room.awaitNanos(nanos);
      }
      if (shut) {
        throw DisconnectedException.closed(remote, cause);
      }
      return waiting <= max;
    } finally {
      lock.unlock();
    }
  }
}
