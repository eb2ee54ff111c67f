package dev.repartee.acp.runs;

/** Receives the events of a run until the run ends or awaits its client. */
interface Follower {
  /**
   * Receives an event. Called in the order of the events, on the thread of the agent. May block
   * while the client does not read.
   *
   * @return false if the client has disconnected, to receive no more events
   */
  boolean event(RunEvent event);

  /** Receives the run when it has ended or awaits its client. This is the last call. */
  void paused(Run run);

  /** Returns whether {@link #event} sends events to a client that is connected. */
  boolean sendsEvents();

  /** Returns whether {@link #paused} sends the run to a client that is connected. */
  boolean sendsRun();
}
