package dev.repartee.conformance;

/** What came of a case. */
public enum Outcome {
  /** It got what it owes. */
  PASSED,
  /** It got something else, or nothing. */
  FAILED,
  /** It could not be tried, which is no pass. */
  NOT_RUN
}
