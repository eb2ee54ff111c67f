package dev.repartee.mcp.client;

import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Measures the time of the calls of one client. The clock stands still while a handler of the client
 * answers a question of the server: a user may need minutes, and the server does nothing meanwhile.
 * One clock serves all calls, since a question of a handshake revision names no call. Thread-safe;
 * the monitor guards all fields, and nothing is called under it.
 */
final class CallClock {
  private final LongSupplier system;
  private int asking;

  /** The time of the system at which the clock has stopped. */
  private long stopped;

  /** The time in which the clock stood still before, in nanoseconds. */
  private long still;

  private CompletableFuture<@Nullable Void> running = CompletableFuture.completedFuture(null);

  CallClock() {
    this(System::nanoTime);
  }

  /**
   * @param system the time of the system, in nanoseconds
   */
  CallClock(LongSupplier system) {
    this.system = system;
  }

  /** Returns the time of this clock, in nanoseconds since an arbitrary start. */
  synchronized long nanoTime() {
    return (asking > 0 ? stopped : system.getAsLong()) - still;
  }

  /** Returns a future that ends when the clock runs. */
  synchronized CompletableFuture<@Nullable Void> running() {
    return running;
  }

  /** Stops the clock while a question is answered. */
  <T> T whileAsking(Supplier<T> question) {
    begin();
    try {
      return question.get();
    } finally {
      end();
    }
  }

  private synchronized void begin() {
    if (asking++ == 0) {
      stopped = system.getAsLong();
      running = new CompletableFuture<>();
    }
  }

  private void end() {
    CompletableFuture<@Nullable Void> waiting;
    synchronized (this) {
      if (--asking > 0) {
        return;
      }
      still += system.getAsLong() - stopped;
      waiting = running;
    }
    waiting.complete(null);
  }
}
