package dev.repartee.bridge;

import dev.repartee.RpcException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The decision whether a call that waits for a connection is sent, or fails because no connection
 * was open in time. The connection and the timer race for it, and the first one wins. Thread-safe.
 *
 * <pre>
 *   waiting --> sent
 *          \--> late
 * </pre>
 */
final class Departure {
  private enum State {
    WAITING,
    SENT,
    LATE
  }

  private final Duration limit;
  private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

  /**
   * @param limit the time for which the call waits
   */
  Departure(Duration limit) {
    this.limit = limit;
  }

  /**
   * Marks the call as sent, before its message is written. May be called again.
   *
   * @throws RpcException if the time has already passed: the call must not be sent
   */
  void send() {
    if (state.compareAndExchange(State.WAITING, State.SENT) == State.LATE) {
      throw Passage.notConnected(limit);
    }
  }

  /** Ends the time. Returns whether the call was not sent, and never will be. */
  boolean expire() {
    return state.compareAndSet(State.WAITING, State.LATE);
  }
}
