package dev.repartee.agents.run;

import dev.repartee.agents.Failure;
import org.jspecify.annotations.Nullable;

/** The state of a step. */
public enum StepState {
  /** The step has not begun. */
  PENDING,
  /** The step runs, or its call waits because the maximum number of calls is running. */
  RUNNING,
  /** The step waits for the answer of a human. */
  WAITING,
  /** The step has an output. */
  SUCCEEDED,
  /** The step has failed. The run continues if the plan allows this failure. */
  FAILED,
  /** The step was cancelled while it ran. */
  CANCELLED,
  /** The step never began, because another step failed, or the run was cancelled. */
  SKIPPED,
  /** The run was interrupted during the step, and the step is not idempotent. */
  UNKNOWN;

  /** Returns the state of a finished step; its failure is null if it has succeeded. */
  static StepState ofFinished(@Nullable Failure failure) {
    return failure == null
        ? SUCCEEDED
        : failure.kind() == Failure.Kind.UNKNOWN_OUTCOME ? UNKNOWN : FAILED;
  }

  /** Returns whether the step has ended. */
  public boolean isEnd() {
    return compareTo(SUCCEEDED) >= 0;
  }
}
