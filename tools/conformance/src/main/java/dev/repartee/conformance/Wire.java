package dev.repartee.conformance;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A connection that can send valid and invalid data. Not thread-safe: one thread uses it. */
interface Wire extends AutoCloseable {
  /** Returns why the data cannot be sent over this connection, or null if it can. */
  @Nullable String refusal(Say what);

  /**
   * Sends the data.
   *
   * @throws IOException if the connection has ended; data received before can still be read
   */
  void say(Say what) throws IOException;

  /** Returns the next thing received, or null if there is none within {@code time}. */
  @Nullable Heard hear(Duration time) throws InterruptedException;

  /** Returns whether every message has a reply; then no probes are needed to prove silence. */
  default boolean repliesToAll() {
    return false;
  }

  @Override
  void close();
}
