package dev.repartee.agents;

/** Reports that a task has failed. */
public final class AgentException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient Failure failure;

  /** Creates an exception for a failure. */
  public AgentException(Failure failure) {
    super(failure.message());
    this.failure = failure;
  }

  /** Creates an exception for a failure of this kind. */
  public AgentException(Failure.Kind kind, String message) {
    this(new Failure(kind, message));
  }

  /** Returns the failure. */
  public Failure failure() {
    return failure;
  }
}
