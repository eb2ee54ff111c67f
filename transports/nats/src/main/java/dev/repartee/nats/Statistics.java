package dev.repartee.nats;

import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts the messages that a worker has handled. Thread-safe. */
final class Statistics {
  private final LongAdder requests = new LongAdder();
  private final LongAdder errors = new LongAdder();
  private final LongAdder nanos = new LongAdder();
  private volatile String lastError = "";

  /**
   * Counts a message.
   *
   * @param time the time in nanoseconds from its arrival to its end
   * @param error the reason why it became a dead letter, or the error in its answer; null without
   *     any
   */
  void add(long time, @Nullable String error) {
    nanos.add(time);
    if (error != null) {
      lastError = error;
      errors.increment();
    }
    requests.increment(); // last: the rest of a message that is counted here is counted, too
  }

  long requests() {
    return requests.sum();
  }

  long errors() {
    return errors.sum();
  }

  long nanos() {
    return nanos.sum();
  }

  /** Returns the newest error; empty if there was none. */
  String lastError() {
    return lastError;
  }
}
