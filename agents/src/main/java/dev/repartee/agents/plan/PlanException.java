package dev.repartee.agents.plan;

/** Reports that a text is not a valid plan; the message names the place and the remedy. */
public final class PlanException extends RuntimeException {
  private static final long serialVersionUID = 1;

  PlanException(String message) {
    super(message);
  }

  /**
   * Creates an exception.
   *
   * @param place the path in the plan, such as {@code steps[2].input}
   */
  PlanException(String place, String reason) {
    super((place.isEmpty() ? "the plan" : place) + ": " + reason);
  }
}
