package dev.repartee.acp.runs;

/** Receives the events of a run until the run ends or awaits its client. */
interface Follower {
  /**
   * Receives an event. Called in order on the thread of the agent. May block while the client does
   * not read.
   *
   * @return false to receive no more events, because the client has disconnected
   */
  boolean event(RunEvent event);

  /** Receives the run when it has ended or awaits its client. This is the last call. */
  void paused(Run run);

  /** Returns whether {@link #event} sends events to a client that is connected. */
  boolean sendsEvents();

  /** Returns whether {@link #paused} sends the run to a client that is connected. */
  boolean sendsRun();
}
