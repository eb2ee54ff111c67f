package dev.repartee.agents.plan;

/** Reports that a text is not a valid plan; the message names the place and the remedy. */
public final class PlanException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The maximum length of a message; some messages quote the plan. */
  private static final int LONGEST = 1_000;

  PlanException(String message) {
    super(shortened(message));
  }

  /**
   * Creates an exception.
   *
   * @param place the path in the plan, such as {@code steps[2].input}
   */
  PlanException(String place, String reason) {
    this((place.isEmpty() ? "the plan" : place) + ": " + reason);
  }

  private static String shortened(String message) {
    return message.length() > LONGEST ? message.substring(0, LONGEST) + "..." : message;
  }
}
