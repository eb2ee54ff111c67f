package dev.repartee.acp.runs;

/** Reports that a run is cancelled. An agent need not catch it. */
public final class RunCancelledException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public RunCancelledException() {
    super("the run is cancelled");
  }
}
