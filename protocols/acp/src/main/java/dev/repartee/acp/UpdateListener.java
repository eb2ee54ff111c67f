package dev.repartee.acp;

import dev.repartee.acp.types.SessionUpdate;

/** Receives the updates of a session. */
@FunctionalInterface
public interface UpdateListener {
  /**
   * Handles an update. The updates of a connection are handled one at a time, in order of arrival,
   * on one thread of the client. While this thread is busy, up to 1,000 updates or 4 MiB are
   * queued; then the client reads no more messages from the agent. A listener must not wait for the
   * agent: a request to the agent fails with {@link IllegalStateException}. Exceptions of a
   * listener are logged.
   */
  void updated(SessionUpdate update);
}
