package dev.repartee.resilience;

import dev.repartee.ReparteeException;

/**
 * Reports that a {@link Breaker} or a {@link Bulkhead} has rejected a call. It was not sent. {@link
 * Retry} does not repeat such a call.
 */
public final class RejectedException extends ReparteeException {
  private static final long serialVersionUID = 1;

  private final Outcome outcome;
  private final String reason;

  /**
   * Creates an exception, without a stack trace: rejecting a call must be cheap.
   *
   * @param message the call and the reason, in a sentence
   * @param reason see {@link #unsent}
   */
  RejectedException(Outcome outcome, String message, String reason) {
    super(message, null, true, false);
    this.outcome = outcome;
    this.reason = reason;
  }

  /**
   * Returns the reason: {@link Outcome#REJECTED_BY_BREAKER} or {@link
   * Outcome#REJECTED_BY_BULKHEAD}.
   */
  public Outcome outcome() {
    return outcome;
  }

  /** Never null: the call was not sent. */
  @Override
  public String unsent() {
    return reason;
  }
}
