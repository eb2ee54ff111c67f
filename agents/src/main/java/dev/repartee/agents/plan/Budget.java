package dev.repartee.agents.plan;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a run. A run that exceeds one fails; the rules of its steps for failures do not apply.
 *
 * @param calls the number of calls of agents, each attempt counted; 0 for {@value #MOST_CALLS}
 * @param time the time of the whole run; null for no limit
 * @param concurrency the number of calls that run at the same time; 0 for {@value #CONCURRENCY}
 */
public record Budget(int calls, @Nullable Duration time, int concurrency) {
  /** The number of calls of a run without a limit of its own. */
  public static final int MOST_CALLS = 10_000;

  /** The number of concurrent calls of a run without a limit of its own. */
  public static final int CONCURRENCY = 16;

  /** The budget of a plan that states none. */
  public static final Budget DEFAULT = new Budget(0, null, 0);

  /** Replaces 0 by the defaults. */
  public Budget {
    calls = calls == 0 ? MOST_CALLS : calls;
    concurrency = concurrency == 0 ? CONCURRENCY : concurrency;
  }
}
