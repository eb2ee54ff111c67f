package dev.repartee.resilience;

import java.util.Locale;

/** An event of a call that passes through {@link Resilience}. A call may have several. */
public enum Outcome {
  /** The call failed and is repeated; once for each repetition. */
  RETRIED,

  /** The call had no answer in time, and a second attempt was started. */
  HEDGED,

  /** The answer to the second attempt was the first one. */
  HEDGE_WON,

  /** The call was not repeated or hedged, because the budget of its peer was used up. */
  OVER_BUDGET,

  /** The failure of the call has opened its circuit breaker. */
  BREAKER_OPENED,

  /** The call was not sent, because its circuit breaker was open. */
  REJECTED_BY_BREAKER,

  /** The call was not sent, because the bulkhead was full, or after the time to wait for it. */
  REJECTED_BY_BULKHEAD,

  /** The fallback has answered the call after its failure. */
  FALLBACK;

  /** Returns the name in lower case, such as {@code over_budget}: a value of a metric's tag. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
