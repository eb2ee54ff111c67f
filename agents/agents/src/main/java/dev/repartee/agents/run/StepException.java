package dev.repartee.agents.run;

import dev.repartee.agents.Failure;

/** Passes the failure of a step on to its enclosing steps. */
final class StepException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient Failure failure;
  private final String step;
  private final boolean fatal;

  /**
   * Creates an exception.
   *
   * @param step the id of the failed step
   * @param fatal whether the run fails even if an enclosing step allows the failure
   */
  StepException(String step, Failure failure, boolean fatal) {
    super(failure.message(), null, false, false);
    this.failure = failure;
    this.step = step;
    this.fatal = fatal;
  }

  /** Returns the exception of a failed step. Its message names the step. */
  static StepException of(StepEntry entry, Failure failure, boolean fatal) {
    StepReport report = entry.report();
    String place = report.agent() == null
        ? ""
        : " (agent " + report.agent()
            + (report.skill() == null ? ")" : ", skill " + report.skill() + ")");
    return new StepException(
        entry.id(),
        new Failure(
            failure.kind(),
            "the step '" + entry.id() + "'" + place + " failed: " + failure.message()),
        fatal);
  }

  Failure failure() {
    return failure;
  }

  String step() {
    return step;
  }

  boolean isFatal() {
    return fatal;
  }
}
