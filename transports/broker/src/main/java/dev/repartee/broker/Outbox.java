package dev.repartee.broker;

import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.QueuedBytes;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A queue of steps that a separate thread runs in order: a client of a broker may block while it
 * writes, and the threads that serve and deliver must not block. Thread-safe.
 */
public final class Outbox {
  /** A step, which may block and fail. */
  @FunctionalInterface
  public interface Step {
    /** Runs the step. */
    void run() throws Exception;
  }

  private record Item(long bytes, Step step) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final QueuedBytes bytes;
  private final Consumer<Exception> failed;

  // Guarded by the lock.
  private final Queue<Item> items = new ArrayDeque<>();
  private boolean closed;
  private @Nullable Step last;

  /**
   * Creates an outbox and starts its thread.
   *
   * @param name the name of the thread
   * @param max the number of queued bytes above which {@link #awaitRoom} waits
   * @param failed is called by the thread with the failure of a step; the next step follows
   */
  public Outbox(String name, int max, Consumer<Exception> failed) {
    this.bytes = new QueuedBytes(max, lock, name);
    this.failed = failed;
    new BrokerThread(this::run, name).start();
  }

  /**
   * Adds a step. Never waits; a thread that may wait first calls {@link #awaitRoom}.
   *
   * @param size the number of bytes that the step keeps in memory
   * @throws DisconnectedException if this outbox is closed
   */
  public void add(long size, Step step) {
    lock.lock();
    try {
      bytes.requireOpen();
      items.add(new Item(size, step));
      bytes.add(size, 0);
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until there is room; see {@link dev.repartee.transport.FrameSink#awaitRoom}. */
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return bytes.awaitRoom(time, unit);
  }

  /** Returns whether {@link #awaitRoom} would wait. */
  public boolean isFull() {
    return bytes.isFull();
  }

  /** Drops all steps that have not begun. */
  public void clear() {
    lock.lock();
    try {
      items.clear();
      bytes.clear();
    } finally {
      lock.unlock();
    }
  }

  /** Refuses further steps; the thread ends after the queued steps and this one. */
  public void close(Step last) {
    lock.lock();
    try {
      if (!closed) {
        closed = true;
        this.last = last;
        bytes.close(null);
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    for (Item item = next(); item != null; item = next()) {
      try {
        item.step.run();
      } catch (Exception e) {
        failed.accept(e);
      } catch (Error e) { // such as an OutOfMemoryError for one message
        failed.accept(new IllegalStateException(e.toString(), e));
      } finally {
        left(item.bytes);
      }
    }
  }

  private @Nullable Item next() {
    lock.lock();
    try {
      while (items.isEmpty()) {
        if (closed) {
          Step end = last;
          last = null;
          return end == null ? null : new Item(0, end);
        }
        changed.awaitUninterruptibly();
      }
      return items.remove();
    } finally {
      lock.unlock();
    }
  }

  private void left(long size) {
    lock.lock();
    try {
      bytes.remove(size, 0);
    } finally {
      lock.unlock();
    }
  }
}
