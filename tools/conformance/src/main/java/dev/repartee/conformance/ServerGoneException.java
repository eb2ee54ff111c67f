package dev.repartee.conformance;

import java.io.IOException;

/**
 * Thrown if the checked server becomes unreachable during the check, because it crashed or was
 * stopped, or if it accepts connections and answers nothing.
 */
public final class ServerGoneException extends IOException {
  private static final long serialVersionUID = 1;

  private final transient Report report;

  ServerGoneException(Report report, IOException cause) {
    super(
        (cause instanceof SilenceException ? "the server is silent" : "the server went away")
            + lastTried(report) + ": " + cause.getMessage(),
        cause);
    this.report = report;
  }

  private static String lastTried(Report report) {
    Case last = null;
    for (Verdict verdict : report.verdicts()) {
      last = verdict.outcome() == Outcome.NOT_RUN ? last : verdict.tested();
    }
    return last == null ? "" : " during or after '" + last + "'";
  }

  /** Returns the verdicts until then; later cases are {@link Outcome#NOT_RUN}. */
  public Report report() {
    return report;
  }
}
