package dev.repartee.conformance;

/**
 * The verdict on one case.
 *
 * @param tested the case
 * @param outcome the outcome
 * @param expected the expected behaviour, in short; empty unless the case failed
 * @param got the behaviour of a failed case, or the reason why a case was not run; empty if it
 *     passed
 */
public record Verdict(Case tested, Outcome outcome, String expected, String got) {
  static Verdict passed(Case tested) {
    return new Verdict(tested, Outcome.PASSED, "", "");
  }

  static Verdict failed(Case tested, String expected, String got) {
    return new Verdict(tested, Outcome.FAILED, expected, got);
  }

  static Verdict notRun(Case tested, String why) {
    return new Verdict(tested, Outcome.NOT_RUN, "", why);
  }

  /** Returns whether the specification is violated: a case of level {@link Level#MUST} failed. */
  public boolean isViolation() {
    return outcome == Outcome.FAILED && tested.level() == Level.MUST;
  }
}
