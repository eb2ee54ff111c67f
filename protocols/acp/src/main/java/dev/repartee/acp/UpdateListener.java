package dev.repartee.acp;

import dev.repartee.acp.types.SessionUpdate;

/** Receives the updates of a session. */
@FunctionalInterface
public interface UpdateListener {
  /**
   * Handles an update. The updates of a connection are handled one after the other in order of
   * arrival, on a thread of the client. While it is busy, up to 1,000 updates or 4 MiB wait; then
   * nothing is read from the agent. So it must not wait for the agent; requests to the agent fail
   * there with {@link IllegalStateException}. Its exceptions are logged.
   */
  void updated(SessionUpdate update);
}
