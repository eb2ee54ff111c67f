package dev.repartee.a2a.types;

/** The state of a task (section 4.1.3). */
public enum TaskState {
  /** Not known; in version 0.3 {@code unknown}. */
  UNSPECIFIED,
  /** The agent has accepted the task, but has not started it. */
  SUBMITTED,
  /** The agent works on the task. */
  WORKING,
  /** The task has ended with success. */
  COMPLETED,
  /** The task has ended with a failure. */
  FAILED,
  /** The task was cancelled. */
  CANCELED,
  /** The agent needs a further message of the client. */
  INPUT_REQUIRED,
  /** The agent has refused the task. */
  REJECTED,
  /** The agent needs credentials, which the client sends outside of this protocol. */
  AUTH_REQUIRED;

  /** Returns whether a task in this state has ended. Such a task never changes again. */
  public boolean isTerminal() {
    return switch (this) {
      case COMPLETED, FAILED, CANCELED, REJECTED -> true;
      default -> false;
    };
  }

  /** Returns whether a task in this state waits for its client. */
  public boolean isInterrupted() {
    return this == INPUT_REQUIRED || this == AUTH_REQUIRED;
  }
}
