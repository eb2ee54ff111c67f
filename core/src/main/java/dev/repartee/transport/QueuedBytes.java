package dev.repartee.transport;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The bound of one write queue: the number of its bytes, and the senders that wait for room.
 *
 * <p>Senders of calls and notifications wait while the queue is above its limit. Answers never wait
 * and are also counted separately: while they alone exceed the limit, the channel stops reading,
 * since reading causes more of them. Senders and the reading side resume when their count has
 * fallen to half of the limit, not after every frame.
 *
 * <p>The lock of the queue guards the state. The methods that change it are called with that lock;
 * all others may be called by any thread.
 */
public final class QueuedBytes {
  private final int max;
  private final String remote;
  private final ReentrantLock lock;

  /** Null before the first sender waits: most connections are idle, and never fill their queue. */
  private @Nullable Condition room;

  // Written under the lock.
  private volatile long waiting;
  private volatile long answers;
  private volatile long sent;
  private volatile boolean congested;
  private volatile boolean closed;
  private @Nullable Throwable cause;

  /**
   * Creates the bound of an empty queue.
   *
   * @param max the limit {@code outboundBytes}
   * @param lock the lock of the queue
   * @param remote the name of the peer for error messages
   */
  public QueuedBytes(int max, ReentrantLock lock, String remote) {
    this.max = max;
    this.lock = lock;
    this.remote = remote;
  }

  /** Returns the number of unsent bytes. */
  public long waiting() {
    return waiting;
  }

  /** Returns the number of unsent bytes of answers. */
  public long answers() {
    return answers;
  }

  /** Returns the number of bytes sent so far; it shows whether the peer reads. */
  public long sent() {
    return sent;
  }

  /**
   * Returns whether the queue was above its limit and has not fallen to half of it since then.
   * While it is congested, a sender or the reading side may be waiting for the peer to read.
   */
  public boolean isCongested() {
    return congested;
  }

  /**
   * Returns the output that the peer has to read now, for {@link
   * dev.repartee.limits.TimeLimits.Connection#unread}: the number of bytes sent so far while the
   * queue is congested, or while its closing waits for the last bytes; null otherwise.
   */
  public @Nullable Long unread() {
    return congested || closed && waiting > 0 ? sent : null;
  }

  /** Returns whether senders of calls and notifications have to wait. */
  public boolean isFull() {
    return waiting > max;
  }

  /** Returns whether the queue has room for the answers that further input would cause. */
  public boolean takesAnswers() {
    return answers <= max;
  }

  /** Returns whether no further frame is accepted. */
  public boolean isClosed() {
    return closed;
  }

  /**
   * Throws if the queue is closed. Called with the lock.
   *
   * @throws DisconnectedException if the queue is closed; it names the cause
   */
  public void requireOpen() {
    if (closed) {
      throw DisconnectedException.closed(remote, cause);
    }
  }

  /** Counts bytes that were queued, and the answers among them. Called with the lock. */
  public void add(long bytes, long ofAnswers) {
    waiting += bytes;
    answers += ofAnswers;
    if (waiting > max) {
      congested = true;
    }
  }

  /**
   * Counts bytes that were sent, and the answers among them; wakes the senders if there is room
   * again. Called with the lock.
   *
   * @return whether the bytes or the answers fell to half of the limit, so that reading may resume
   */
  public boolean remove(long bytes, long ofAnswers) {
    long before = waiting;
    long answersBefore = answers;
    waiting = Math.max(0, before - bytes); // the queue may have been cleared meanwhile
    answers = Math.max(0, answersBefore - ofAnswers);
    sent += bytes;
    boolean roomAgain = hasFallen(before, waiting);
    if (roomAgain) {
      congested = false;
      wakeSenders();
    }
    return roomAgain || hasFallen(answersBefore, answers);
  }

  private boolean hasFallen(long before, long after) {
    return before > max / 2 && after <= max / 2;
  }

  /** Counts the queue as empty, because its frames were discarded. Called with the lock. */
  public void clear() {
    waiting = 0;
    answers = 0;
    congested = false;
    wakeSenders();
  }

  /**
   * Refuses further frames, and wakes the senders. The first cause counts. Called with the lock.
   */
  public void close(@Nullable Throwable why) {
    closed = true;
    if (cause == null) {
      cause = why;
    }
    wakeSenders();
  }

  private void wakeSenders() {
    if (room != null) {
      room.signalAll();
    }
  }

  private Condition room() {
    if (room == null) {
      room = lock.newCondition();
    }
    return room;
  }

  /** Waits until the queue is not full; see {@link FrameSink#awaitRoom}. */
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    if (!closed && !isFull()) {
      return true;
    }
    long nanos = ReadingThread.isCurrent() ? 0 : unit.toNanos(time);
    lock.lockInterruptibly();
    try {
      while (!closed && isFull() && nanos > 0) {
        nanos = room().awaitNanos(nanos);
      }
      requireOpen();
      return !isFull();
    } finally {
      lock.unlock();
    }
  }
}
