package dev.repartee.acp;

import dev.repartee.internal.Threads;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Runs the listeners of one connection on one thread, in order of arrival. Actions that have to
 * follow earlier updates, such as the end of a turn, are in the same queue. Thread-safe.
 *
 * <p>The queue is bounded. At the bound, {@link #hasRoom} stops the reading of messages; at half of
 * it, {@code roomAgain} resumes the reading.
 */
final class Deliveries implements Runnable {
  private static final System.Logger LOG = System.getLogger("dev.repartee.acp");
  private static final int MOST = 1_000;
  private static final long MOST_BYTES = 4 << 20;

  /** An action, with the size of its message. */
  private record Step(Runnable action, long bytes) {}

  private final Runnable roomAgain;
  private final Thread thread;

  // Guarded by this.

  private final Queue<Step> steps = new ArrayDeque<>();
  private long bytes; // of the messages in the queue
  private boolean full; // whether hasRoom() has stopped the reading
  private boolean over;

  /**
   * Creates a queue; {@link #start} starts its thread.
   *
   * @param roomAgain resumes the reading
   */
  Deliveries(Runnable roomAgain) {
    this.roomAgain = roomAgain;
    this.thread = Threads.daemon("repartee-acp-updates", this);
  }

  void start() {
    thread.start();
  }

  /** Returns whether the connection may read more messages. */
  synchronized boolean hasRoom() {
    full = steps.size() >= MOST || bytes >= MOST_BYTES;
    return !full;
  }

  /** Adds an action. After {@link #end} the action runs on the thread of the caller. */
  void add(Runnable action, long size) {
    synchronized (this) {
      if (!over) {
        steps.add(new Step(action, size));
        bytes += size;
        notifyAll();
        return;
      }
    }
    run(action);
  }

  /** Ends the thread after it has run the actions in the queue. */
  synchronized void end() {
    over = true;
    notifyAll();
  }

  /**
   * Requires that the caller may wait for the agent. On the thread of the listeners such a wait
   * would never end, because the answer is delivered on the same thread.
   *
   * @throws IllegalStateException on the thread of the listeners
   */
  void requireOtherThread() {
    if (Thread.currentThread() == thread) {
      throw new IllegalStateException(
          "a listener of updates must not wait for the agent; use another thread");
    }
  }

  @Override
  public void run() {
    for (Step next = take(); next != null; next = take()) {
      run(next.action());
    }
  }

  private static void run(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException | Error e) {
      LOG.log(System.Logger.Level.WARNING, "a listener of updates has failed", e);
    }
  }

  private @Nullable Step take() {
    Step next;
    boolean room;
    synchronized (this) {
      while (steps.isEmpty() && !over) {
        try {
          wait();
        } catch (InterruptedException e) {
          // Only the end of the connection ends this thread.
        }
      }
      next = steps.poll();
      bytes -= next == null ? 0 : next.bytes();
      room = full && steps.size() <= MOST / 2 && bytes <= MOST_BYTES / 2;
      full &= !room;
    }
    if (room) {
      roomAgain.run();
    }
    return next;
  }
}
