package dev.repartee;

import dev.repartee.limits.Limits;
import dev.repartee.transport.FrameSink;
import java.util.concurrent.TimeUnit;

/** Waits for room in a write queue. */
final class Room {
  private Room() {}

  /**
   * Waits up to {@link Limits#drainTimeout} until the write queue has room; does not wait on a
   * thread that reads a channel.
   *
   * @return false if the write queue is still full, or if the thread was interrupted
   */
  static boolean within(FrameSink outlet, Limits limits) {
    return within(outlet, limits.drainTimeout().toMillis());
  }

  static boolean within(FrameSink outlet, long millis) {
    try {
      return outlet.awaitRoom(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
