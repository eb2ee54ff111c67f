package dev.repartee.transport;

import dev.repartee.limits.LimitException;
import dev.repartee.limits.MemoryBudget;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The write queue of one connection, in the order of the commits. A frame counts until the socket
 * has accepted it, not only until it leaves the queue. Thread-safe.
 *
 * <p>{@code scheduled} is true from the {@link #append} that returns true to the {@link #next()}
 * that finds the queue empty. During that time no other caller is asked to schedule a drain. If a
 * drain stops before the queue is empty, its owner must continue it, as the HTTP client does when a
 * request has ended.
 *
 * <p>{@code held} is the memory of the frames, charged to the budget of the process; {@code bytes}
 * counts the bytes to send. Each frame counts {@code OVERHEAD} bytes and its headers in both in
 * addition to its text.
 *
 * @param <T> a frame, or a message that has one
 */
public final class FrameQueue<T> {
  /** Frames of up to this many bytes together are not charged to the memory budget. */
  private static final int FREE = 64 << 10;

  /**
   * The bytes that are counted for a queued frame in addition to its text, for its objects.
   * Otherwise a queue of small frames would use several times the memory that is counted.
   */
  private static final int OVERHEAD = 128;

  /**
   * Only senders that do not wait for room can exceed this multiple of the limit. Senders that wait
   * may exceed the limit itself, because all of them wake up at the same time.
   */
  private static final int FLOODED = 4;

  private final int max;
  private final Function<T, OutboundFrame> text;
  private final ToIntFunction<T> headers;
  private final MemoryBudget.Share share;
  private final ReentrantLock lock = new ReentrantLock();
  private final QueuedBytes bytes;

  // Guarded by the lock.
  private final Queue<T> queue = new ArrayDeque<>();
  private boolean scheduled;
  private long held;

  /**
   * @param headers returns the bytes of a frame besides its text; always the same for a frame
   */
  private FrameQueue(
      int max, int free, String remote, Function<T, OutboundFrame> text, ToIntFunction<T> headers) {
    this.max = max;
    this.text = text;
    this.headers = headers;
    this.bytes = new QueuedBytes(max, lock, remote);
    this.share = MemoryBudget.ofAnswers().share(free);
  }

  /** Returns a queue for a connection that the peer has opened; charged to the memory budget. */
  public static FrameQueue<OutboundFrame> served(int max, String remote) {
    return new FrameQueue<>(max, FREE, remote, frame -> frame, frame -> 0);
  }

  /**
   * Returns a queue for a connection that this side has opened; not charged to the memory budget.
   */
  public static FrameQueue<OutboundFrame> asked(int max, String remote) {
    return new FrameQueue<>(max, Integer.MAX_VALUE, remote, frame -> frame, frame -> 0);
  }

  /** Returns a queue of the messages of a client; not charged to the memory budget. */
  public static FrameQueue<OutgoingMessage> messages(int max, String remote) {
    return new FrameQueue<>(
        max,
        Integer.MAX_VALUE,
        remote,
        OutgoingMessage::text,
        message -> message.headers().size());
  }

  /**
   * Appends a frame.
   *
   * @return true if the caller must schedule a drain of the queue
   * @throws DisconnectedException if the queue is closed
   * @throws LimitException if the memory budget is exhausted; the connection should end
   */
  public boolean append(T frame) {
    lock.lock();
    try {
      bytes.requireOpen();
      if (!share.hold(held + memory(frame))) {
        throw share.refusal();
      }
      held += memory(frame);
      queue.add(frame);
      bytes.add(weight(frame), ofAnswers(frame));
      boolean mine = !scheduled;
      scheduled = true;
      return mine;
    } finally {
      lock.unlock();
    }
  }

  private int memory(T frame) {
    return text.apply(frame).array().length + headers.applyAsInt(frame) + OVERHEAD;
  }

  private int weight(T frame) {
    return text.apply(frame).size() + headers.applyAsInt(frame) + OVERHEAD;
  }

  private int ofAnswers(T frame) {
    return text.apply(frame).isInitiated() ? 0 : weight(frame);
  }

  /** Removes the next frame to write. Returns null if the queue is empty. */
  public @Nullable T next() {
    lock.lock();
    try {
      T frame = queue.poll();
      scheduled = frame != null;
      return frame;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Moves the next frames to write into a batch, until the batch has {@code size} bytes or the
   * queue is empty.
   *
   * @return true if the queue is empty
   */
  public boolean next(long size, List<T> batch) {
    lock.lock();
    try {
      long taken = 0;
      while (taken < size && !queue.isEmpty()) {
        T frame = queue.remove();
        batch.add(frame);
        taken += text.apply(frame).size();
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
   * @return true if the queue has room again; then reading may continue
   */
  public boolean left(T frame) {
    return left(List.of(frame));
  }

  /** Releases the frames of a batch; see {@link #left(Object)}. */
  public boolean left(List<T> frames) {
    lock.lock();
    try {
      long size = 0;
      long answers = 0;
      for (T frame : frames) {
        held -= memory(frame);
        size += weight(frame);
        answers += ofAnswers(frame);
      }
      share.hold(held);
      return bytes.remove(size, answers);
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether there is room for the replies that further input would cause. */
  public boolean takesReplies() {
    return bytes.takesAnswers();
  }

  /** Returns whether only senders that do not wait for room can have filled the queue so far. */
  public boolean isFlooded() {
    return bytes.waiting() > FLOODED * (long) max;
  }

  /** Returns whether no further frame is accepted. */
  public boolean isClosed() {
    return bytes.isClosed();
  }

  /**
   * Returns whether the queue is closed and empty. An empty queue alone is not enough: a frame may
   * be appended between the last {@link #next()} and the close.
   */
  public boolean isDrained() {
    lock.lock();
    try {
      return bytes.isClosed() && queue.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Closes the queue: no further frame is accepted, but the frames in the queue may still be sent.
   * Later calls keep the first cause.
   */
  public void close(@Nullable Throwable why) {
    lock.lock();
    try {
      bytes.close(why);
    } finally {
      lock.unlock();
    }
  }

  /** Closes the queue and drops its frames, because nobody will read them. */
  public void abort(@Nullable Throwable why) {
    close(why);
    List<T> dropped = new ArrayList<>();
    next(Long.MAX_VALUE, dropped);
    left(dropped);
  }

  /**
   * Waits until the queue has room; see {@link Channel#awaitRoom}. Does not
   * wait on a thread that reads, because only that thread can make room.
   */
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return bytes.awaitRoom(time, unit);
  }
}
