package dev.repartee.acp.runs;

/** Follows a run until it ends or waits for its client. */
interface Follower {
  /**
   * Takes an event. Called in order, on the thread of the agent, which it may hold up while its
   * client does not read.
   *
   * @return false if the client is gone
   */
  boolean event(RunEvent event);

  /** Takes the run when it has ended or waits; nothing follows. */
  void paused(Run run);
}
