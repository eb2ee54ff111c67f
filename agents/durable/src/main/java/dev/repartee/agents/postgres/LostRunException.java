package dev.repartee.agents.postgres;

/**
 * Reports that this process no longer executes a run, and must not start another step of the run.
 */
final class LostRunException extends RuntimeException {
  private static final long serialVersionUID = 1;

  LostRunException(String run, String reason) {
    super("this process no longer executes the run " + run + ": " + reason);
  }
}
