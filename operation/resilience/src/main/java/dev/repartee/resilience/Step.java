package dev.repartee.resilience;

import dev.repartee.Call;

/** One of the policies of {@link Resilience}, around the steps that follow it. Thread-safe. */
@FunctionalInterface
interface Step {
  /** Returns the attempt that makes a call by this policy. */
  Attempt around(Call call, Attempt inner);
}
