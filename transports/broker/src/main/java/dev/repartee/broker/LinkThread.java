package dev.repartee.broker;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The thread of a channel, and the turn to use its link: one thread at a time has it. That is this
 * thread, which may block, or a caller that sends its frame without waiting.
 */
final class LinkThread {
  /*
   * Implementation note. The state only ever goes on:
   *
   *   OPEN --close()--> CLOSING --nothing is awaited, or end()--> CLOSED
   *
   * In all states but the last one, the steps run in their order, and messages are sent while there
   * is no step. Steps are bounded: each belongs to a message or an event, or is added once until it
   * runs.
   *
   * No wake-up is lost: each change that gives the thread something to do is made under the lock,
   * and wake() follows before the lock is released. While a caller has the turn, wake() does
   * nothing, and release() looks again. Only this thread waits for the condition.
   */

  /** The work of the thread besides its steps. */
  interface Work {
    /** Returns whether a message can be sent now. Called with the lock. */
    boolean canSend();

    /** Sends a message; may block. */
    void send();

    /** Returns whether a channel that closes has to go on for now. Called with the lock. */
    boolean isAwaited();

    /** Reports that a step has failed; the thread ends. */
    void failed(Throwable why);

    /** Ends the channel; the last call. Nobody else uses the link any more. */
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

  /** Whether that is the thread of the channel, which may block. */
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

  /** Adds a step before all others: one that must not wait for those that block. */
  void addFirst(Runnable step) {
    steps.addFirst(step);
    wake();
  }

  /** Takes the turn for a caller, if nothing waits for it. Called with the lock. */
  boolean tryTurn() {
    boolean mine = !turn && steps.isEmpty() && state != State.CLOSED;
    turn |= mine;
    return mine;
  }

  /** Gives the turn back. */
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

  /** Returns whether this thread uses the link, perhaps for long. Called with the lock. */
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
   * Wakes the thread if it has something to do: each useless wake-up would delay a call. Called
   * with the lock.
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

  /** Takes the turn and returns the next step; null at the end of the channel. */
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
          if (state == State.CLOSING && !work.isAwaited()) {
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
