package dev.repartee.conformance;

/**
 * What came of one case.
 *
 * @param tested the case
 * @param outcome what came of it
 * @param expected what is owed, in short; empty where it was not run
 * @param got what came instead of it, or why it was not run; empty where it passed
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

  /** Whether the specification is broken: a case that says MUST has failed. */
  public boolean isViolation() {
    return outcome == Outcome.FAILED && tested.level() == Level.MUST;
  }
}
