package dev.repartee.conformance;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A connection on which anything may be said, right or wrong. One thread uses it. */
interface Wire extends AutoCloseable {
  /** Why that cannot be said here, or null if it can. */
  @Nullable String refusal(Say what);

  /**
   * Says it.
   *
   * @throws IOException if the connection has ended; what was heard before can still be heard
   */
  void say(Say what) throws IOException;

  /** The next thing heard, or null if there is none for that long. */
  @Nullable Heard hear(Duration time) throws InterruptedException;

  /** Whether whatever is said gets a reply of its own, so that silence needs no proof. */
  default boolean repliesToAll() {
    return false;
  }

  @Override
  void close();
}
