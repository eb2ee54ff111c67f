package dev.repartee.mcp.dap;

import dev.repartee.dap.types.StoppedEvent;
import dev.repartee.mcp.McpCall;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether a program runs, is stopped or has ended. Begins as running; an ended program stays ended.
 * Thread-safe.
 */
final class Execution {
  private final IntSupplier numbers;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Guarded by the lock.
  private @Nullable Stop stop;

  /** The stop that a request has resumed from, until an event follows. */
  private @Nullable Stop left;

  private boolean ended;
  private @Nullable Integer exitCode;
  private @Nullable String failure;

  /**
   * A stop of the program.
   *
   * @param number the number of the stop, different from all others of an MCP session
   */
  record Stop(int number, StoppedEvent event) {}

  /**
   * The state of the program.
   *
   * @param stop null if the program is not stopped
   * @param ended whether the program and its adapter have ended
   * @param exitCode null if the adapter has not reported one
   * @param failure the sentences for an adapter that has ended without notice, or null
   */
  record Status(
      @Nullable Stop stop,
      boolean ended,
      @Nullable Integer exitCode,
      @Nullable String failure) {}

  /** {@code numbers} returns the number of the next stop. */
  Execution(IntSupplier numbers) {
    this.numbers = numbers;
  }

  Status status() {
    lock.lock();
    try {
      return new Status(stop, ended, exitCode, failure);
    } finally {
      lock.unlock();
    }
  }

  void stopped(StoppedEvent event) {
    lock.lock();
    try {
      if (!ended) {
        stop = new Stop(numbers.getAsInt(), event);
        left = null;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Records that the program will resume from a stop, before the request is sent, since the next
   * stop may be processed before the answer.
   *
   * @return false if the program has already resumed from that stop; then the request must not be
   *     sent
   */
  boolean resuming(Stop expected) {
    lock.lock();
    try {
      if (stop == null || stop.number() != expected.number()) {
        return false;
      }
      stop = null;
      left = expected;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Records that the adapter has refused to resume the program from a stop. The stop gets a new
   * number, unless an event has changed the state since then.
   */
  void refused(Stop before) {
    lock.lock();
    try {
      if (left != null && left.number() == before.number() && !ended) {
        stop = new Stop(numbers.getAsInt(), before.event());
        left = null;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Records that the program is being ended; {@link #await} then waits for the end. */
  void ending() {
    lock.lock();
    try {
      stop = null;
      left = null;
    } finally {
      lock.unlock();
    }
  }

  /** Records that the adapter has resumed a thread, or all threads. */
  void continued(int thread, boolean all) {
    lock.lock();
    try {
      Stop last = stop == null ? left : stop;
      if (last != null && (all || Integer.valueOf(thread).equals(last.event().threadId()))) {
        stop = null;
        left = null;
      }
    } finally {
      lock.unlock();
    }
  }

  void exited(int code) {
    lock.lock();
    try {
      exitCode = code;
    } finally {
      lock.unlock();
    }
  }

  /** Records the end. {@code failure} is null if the adapter has announced it. */
  void ended(@Nullable String failure) {
    lock.lock();
    try {
      stop = null;
      left = null;
      ended = true;
      this.failure = exitCode == null ? failure : null;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until the program is stopped or has ended, or the time has passed.
   *
   * @throws java.util.concurrent.CancellationException if the call is cancelled
   */
  Status await(McpCall call, double seconds) throws InterruptedException {
    call.cancellation().onCancel(this::wake);
    long nanos = (long) (seconds * TimeUnit.SECONDS.toNanos(1));
    lock.lock();
    try {
      while (stop == null && !ended && nanos > 0 && !call.cancellation().isCancelled()) {
        nanos = changed.awaitNanos(nanos);
      }
    } finally {
      lock.unlock();
    }
    call.cancellation().throwIfCancelled();
    return status();
  }

  private void wake() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
