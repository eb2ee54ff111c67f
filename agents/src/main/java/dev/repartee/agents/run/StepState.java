package dev.repartee.agents.run;

/** The state of a step. */
public enum StepState {
  /** The step has not begun. */
  PENDING,
  /** The step runs, or waits for room to run. */
  RUNNING,
  /** The step waits for the answer of a human. */
  WAITING,
  /** The step has an output. */
  SUCCEEDED,
  /** The step has failed; the run may go on all the same, as the plan says. */
  FAILED,
  /** The step was cancelled while it ran. */
  CANCELLED,
  /** The step has never begun, since an earlier failure or cancellation made it needless. */
  SKIPPED,
  /** The run was interrupted while the step ran, and the step must not be repeated. */
  UNKNOWN;

  /** Returns whether the step has ended. */
  public boolean isEnd() {
    return compareTo(SUCCEEDED) >= 0;
  }
}
