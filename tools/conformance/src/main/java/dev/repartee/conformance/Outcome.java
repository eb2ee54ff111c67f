package dev.repartee.conformance;

/** The outcome of a case. */
public enum Outcome {
  /** The server or client behaved as expected. */
  PASSED,
  /** The server or client behaved otherwise, or did not respond. */
  FAILED,
  /** The case could not be run. This does not count as passed. */
  NOT_RUN
}
