package dev.repartee.broker;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The thread of a channel, and the turn to use its link. One thread at a time has the turn: this
 * thread, which may block, or a caller that sends its frame without waiting.
 */
final class LinkThread {
  /*
   * Implementation note. The state only ever advances:
   *
   *   OPEN --close()--> CLOSING --nothing is awaited, or end()--> CLOSED
   *
   * In all states except the last one, the steps run in order, and messages are sent while there is
   * no step. The number of steps is limited: each belongs to a message or an event, or is added
   * only once until it runs.
   *
   * No wake-up is lost: each change that requires work of the thread is made under the lock, and
   * wake() is called before the lock is released. While a caller has the turn, wake() does nothing,
   * and release() checks again. Only this thread waits for the condition.
   */

  /** The work of the thread in addition to its steps. */
  interface Work {
    /** Returns whether a message can be sent now. Called with the lock. */
    boolean canSend();

    /** Sends a message; may block. */
    void send();

    /** Returns whether a closing channel must continue for now. Called with the lock. */
    boolean isUnfinished();

    /** Reports that a step has failed; the thread ends. */
    void failed(Throwable why);

    /** Ends the channel; the last call. No other thread uses the link any longer. */
    void end();
  }

  private final ReentrantLock lock;
  private final Condition changed;
  private final Work work;
  private final Runnable send;

  // Guarded by the lock.
  private final Deque<Runnable> steps = new ArrayDeque<>();
  private State state = State.OPEN;

  /** Whether a thread uses the link. */
  private boolean turn;

  /** Whether it is the thread of the channel, which may block. */
  private boolean mayBlock;

  private enum State {
    OPEN,
    CLOSING,
    CLOSED
  }

  /**
   * @param lock the lock of the channel
   */
  LinkThread(ReentrantLock lock, Work work) {
    this.lock = lock;
    this.changed = lock.newCondition();
    this.work = work;
    this.send = work::send;
  }

  void start(String name) {
    new BrokerThread(this::run, name).start();
  }

  /** Adds a step, which this thread runs with the turn. Called with the lock. */
  void add(Runnable step) {
    steps.add(step);
    wake();
  }

  /** Adds a step before all others, because it must not wait for blocking steps. */
  void addFirst(Runnable step) {
    steps.addFirst(step);
    wake();
  }

  /** Acquires the turn for a caller, if nothing waits for it. Called with the lock. */
  boolean tryTurn() {
    boolean mine = !turn && steps.isEmpty() && state != State.CLOSED;
    turn |= mine;
    return mine;
  }

  /** Releases the turn. */
  void release() {
    lock.lock();
    try {
      turn = false;
      mayBlock = false;
      wake();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns whether this thread is using the link, possibly for a long time. Called with the lock.
   */
  boolean mayBlock() {
    return mayBlock;
  }

  /** Ends the thread when nothing is awaited. Called with the lock. */
  void close() {
    if (state == State.OPEN) {
      state = State.CLOSING;
    }
    wake();
  }

  /** Ends the thread after the current step. Called with the lock. */
  void end() {
    state = State.CLOSED;
    wake();
  }

  /**
   * Wakes the thread if it has work: each unnecessary wake-up would delay a call. Called with the
   * lock.
   */
  void wake() {
    if (state != State.OPEN || !turn && (!steps.isEmpty() || work.canSend())) {
      changed.signal();
    }
  }

  private void run() {
    try {
      for (Runnable step = next(); step != null; step = next()) {
        try {
          step.run();
        } finally {
          release();
        }
      }
    } catch (RuntimeException | Error e) {
      work.failed(e);
    } finally {
      work.end();
    }
  }

  /** Acquires the turn and returns the next step; null at the end of the channel. */
  private @Nullable Runnable next() {
    lock.lock();
    try {
      while (turn || state != State.CLOSED) { // a caller ends its turn first
        if (!turn) {
          Runnable step = steps.poll();
          if (step == null && work.canSend()) {
            step = send;
          }
          if (step != null) {
            turn = true;
            mayBlock = true;
            return step;
          }
          if (state == State.CLOSING && !work.isUnfinished()) {
            state = State.CLOSED;
            return null;
          }
        }
        changed.awaitUninterruptibly();
      }
      return null;
    } finally {
      lock.unlock();
    }
  }
}
