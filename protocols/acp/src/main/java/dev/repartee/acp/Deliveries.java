package dev.repartee.acp;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Runs the listeners of one connection in order of arrival, on one thread, and the steps that have
 * to follow them. Thread-safe.
 */
final class Deliveries implements Runnable {
  private static final System.Logger LOG = System.getLogger("dev.repartee.acp");
  private static final int MOST = 1_000;
  private static final long MOST_BYTES = 4 << 20;

  /** A step, with the size of its message. */
  private record Step(Runnable action, long bytes) {}

  private final Runnable roomAgain;
  private final Thread thread;

  // Guarded by this.

  private final Queue<Step> steps = new ArrayDeque<>();
  private long bytes;
  private boolean full;
  private boolean over;

  /**
   * @param roomAgain runs when there is room after {@link #hasRoom} has returned false
   */
  Deliveries(Runnable roomAgain) {
    this.roomAgain = roomAgain;
    this.thread = new Thread(this, "repartee-acp-updates");
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Returns whether more messages may be read. */
  synchronized boolean hasRoom() {
    full = steps.size() >= MOST || bytes >= MOST_BYTES;
    return !full;
  }

  /** Adds a step. After the end it runs on the thread of the caller. */
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

  /** Ends the thread behind the steps that wait. */
  synchronized void end() {
    over = true;
    notifyAll();
  }

  /**
   * Requires that a wait for the agent does not stop the listeners, and with them the answer.
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
