package dev.repartee.netty;

import dev.repartee.limits.LimitException;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.ReadingThread;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The write queue of one connection, in the order of the commits. A frame counts until the socket
 * has accepted it, not only until it leaves the queue. Thread-safe.
 *
 * <p>{@code scheduled} is true from the {@link #append} that returns true to the {@link #next()}
 * that finds the queue empty. In that time no other caller is asked to schedule a drain. A drain that stops
 * before the queue is empty has to be continued by its owner, as the HTTP client does when a
 * request has ended.
 *
 * <p>Three counts serve three purposes: {@code held} is the memory of the frames, charged to the
 * budget of the process; {@code waiting} is the bytes to send, past which senders of calls and
 * notifications wait; {@code answers} is the part of {@code waiting} that consists of replies, past
 * which the connection stops reading. Waiting senders and the reading side are woken only when the
 * count has dropped to half of {@code max}, not for every frame. Each frame counts {@code
 * OVERHEAD} bytes in all three in addition to its own.
 */
final class FrameQueue {
  /** Frames of up to this many bytes together are not charged to the memory budget. */
  private static final int FREE = 64 << 10;

  /**
   * The bytes that a queued frame counts in addition to its text, for its objects. Otherwise a queue
   * of small frames would hold several times the memory that is counted.
   */
  static final int OVERHEAD = 128;

  /**
   * The multiple of the limit that only senders can exceed that do not wait for room. Those that
   * wait may exceed the limit too, because all of them wake up at the same time.
   */
  private static final int FLOODED = 4;

  private final int max;
  private final String remote;
  private final MemoryBudget.Share share;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition room = lock.newCondition();

  // Guarded by the lock. Volatile fields are written under the lock and read without it.
  private final Queue<OutboundFrame> queue = new ArrayDeque<>();
  private boolean scheduled;
  private long held;
  private volatile long waiting;
  private volatile long answers;
  private volatile boolean closed;
  private @Nullable Throwable cause;

  private FrameQueue(int max, int free, String remote) {
    this.max = max;
    this.remote = remote;
    this.share = MemoryBudget.ofAnswers().share(free);
  }

  /** Returns a queue for a connection that the peer has opened; charged to the memory budget. */
  static FrameQueue served(int max, String remote) {
    return new FrameQueue(max, FREE, remote);
  }

  /**
   * Returns a queue for a connection that this side has opened; not charged to the memory budget.
   */
  static FrameQueue asked(int max, String remote) {
    return new FrameQueue(max, Integer.MAX_VALUE, remote);
  }

  /**
   * Appends a frame.
   *
   * @return true if the caller has to schedule a drain of the queue
   * @throws DisconnectedException if the queue is closed
   * @throws LimitException if the memory budget is exhausted; the connection should end
   */
  boolean append(OutboundFrame frame) {
    lock.lock();
    try {
      if (closed) {
        throw DisconnectedException.closed(remote, cause);
      }
      if (!share.hold(held + memory(frame))) {
        throw share.refusal();
      }
      held += memory(frame);
      queue.add(frame);
      waiting += weight(frame);
      answers += frame.isInitiated() ? 0 : weight(frame);
      boolean mine = !scheduled;
      scheduled = true;
      return mine;
    } finally {
      lock.unlock();
    }
  }

  private static int memory(OutboundFrame frame) {
    return frame.array().length + OVERHEAD;
  }

  private static int weight(OutboundFrame frame) {
    return frame.size() + OVERHEAD;
  }

  /** Removes the next frame to write. Returns null if the queue is empty. */
  @Nullable OutboundFrame next() {
    lock.lock();
    try {
      OutboundFrame frame = queue.poll();
      scheduled = frame != null;
      return frame;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Moves the next frames to write into a batch, until the batch has {@code size} bytes or the queue
   * is empty.
   *
   * @return true if the queue is empty
   */
  boolean next(long size, List<OutboundFrame> batch) {
    lock.lock();
    try {
      long taken = 0;
      while (taken < size && !queue.isEmpty()) {
        OutboundFrame frame = queue.remove();
        batch.add(frame);
        taken += frame.size();
      }
      scheduled = !queue.isEmpty();
      return !scheduled;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Releases a frame that the socket has accepted.
   *
   * @return true if replies have room again, so that reading may go on
   */
  boolean left(OutboundFrame frame) {
    return left(List.of(frame));
  }

  /** Releases the frames of a batch; see {@link #left(OutboundFrame)}. */
  boolean left(List<OutboundFrame> frames) {
    lock.lock();
    try {
      long before = waiting;
      long answersBefore = answers;
      long waitingNow = before;
      long answersNow = answersBefore;
      for (OutboundFrame frame : frames) {
        held -= memory(frame);
        waitingNow -= weight(frame);
        answersNow -= frame.isInitiated() ? 0 : weight(frame);
      }
      share.hold(held);
      waiting = waitingNow;
      answers = answersNow;
      if (before > max / 2 && waitingNow <= max / 2) {
        room.signalAll();
      }
      return answersBefore > max / 2 && answersNow <= max / 2;
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether there is room for the replies that further input would cause. */
  boolean takesReplies() {
    return answers <= max;
  }

  /** Returns whether only senders that do not wait for room can have filled the queue so far. */
  boolean isFlooded() {
    return waiting > FLOODED * (long) max;
  }

  /** Returns whether no further frame is accepted. */
  boolean isClosed() {
    return closed;
  }

  /**
   * Returns whether the queue is closed and empty. An empty queue alone is not enough: a frame may
   * be appended between the last {@link #next()} and the close.
   */
  boolean isDrained() {
    lock.lock();
    try {
      return closed && queue.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Closes the queue: no further frame is accepted, but those in the queue may still be sent. The
   * first cause counts.
   */
  void close(@Nullable Throwable why) {
    lock.lock();
    try {
      if (!closed) {
        closed = true;
        cause = why;
      }
      room.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until the queue has room; see {@link dev.repartee.transport.Channel#awaitRoom}. Does not wait on a
   * thread that reads, which would have to make that room itself.
   */
  boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    if (!closed && waiting <= max) {
      return true;
    }
    long nanos = ReadingThread.isCurrent() ? 0 : unit.toNanos(time);
    lock.lockInterruptibly();
    try {
      while (!closed && waiting > max && nanos > 0) {
        nanos = room.awaitNanos(nanos);
      }
      if (closed) {
        throw DisconnectedException.closed(remote, cause);
      }
      return waiting <= max;
    } finally {
      lock.unlock();
    }
  }
}
