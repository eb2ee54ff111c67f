package dev.repartee.agents.plan;

import dev.repartee.internal.Text;

/** Reports that a text is not a valid plan; the message names the place and the remedy. */
public final class PlanException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The maximum length of a message; some messages quote the plan. */
  private static final int LONGEST = 1_000;

  PlanException(String message) {
    super(Text.shortened(message, LONGEST));
  }

  /**
   * Creates an exception.
   *
   * @param place the path in the plan, such as {@code steps[2].input}
   */
  PlanException(String place, String reason) {
    this((place.isEmpty() ? "the plan" : place) + ": " + reason);
  }
}
