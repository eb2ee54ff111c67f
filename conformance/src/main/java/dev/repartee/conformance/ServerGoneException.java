package dev.repartee.conformance;

import java.io.IOException;

/**
 * The server under check took connections, and then no more: it crashed, or was stopped. Or it takes
 * them and answers nothing.
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

  /** What came of the cases until then; those that came later were not run. */
  public Report report() {
    return report;
  }
}
