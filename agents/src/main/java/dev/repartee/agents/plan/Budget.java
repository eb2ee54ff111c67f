package dev.repartee.agents.plan;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a run. A run that exceeds one fails; the rules of its steps for failures do not apply.
 *
 * <p>A resumed run has used the calls in its journal, each attempt in each execution, and the steps
 * and bytes that it takes from there; its time begins again.
 *
 * @param calls the number of calls of agents, each attempt counted; 0 for {@value #MOST_CALLS}
 * @param time the time of the whole run; null for no limit
 * @param concurrency the number of calls that run at the same time; 0 for {@value #CONCURRENCY}
 * @param steps the number of steps, those of each element of a map counted; 0 for {@value #STEPS}
 * @param bytes the size of the outputs and errors of all steps, which the run keeps; 0 for {@value
 *     #BYTES}
 */
public record Budget(int calls, @Nullable Duration time, int concurrency, int steps, int bytes) {
  /** The number of calls of a run without a limit of its own. */
  public static final int MOST_CALLS = 10_000;

  /** The number of concurrent calls of a run without a limit of its own. */
  public static final int CONCURRENCY = 16;

  /** The number of steps of a run without a limit of its own. */
  public static final int STEPS = 100_000;

  /** The size of the outputs and errors of a run without a limit of its own. */
  public static final int BYTES = 256 << 20;

  /** The budget of a plan that states none. */
  public static final Budget DEFAULT = new Budget(0, null, 0, 0, 0);

  /** Replaces 0 by the defaults. */
  public Budget {
    calls = calls == 0 ? MOST_CALLS : calls;
    concurrency = concurrency == 0 ? CONCURRENCY : concurrency;
    steps = steps == 0 ? STEPS : steps;
    bytes = bytes == 0 ? BYTES : bytes;
  }
}
