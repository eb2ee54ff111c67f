package dev.repartee.agents.plan;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a run. A run that exceeds a limit fails, even if its steps allow failures.
 *
 * <p>A resumed run starts with the calls of all its executions, and with the steps and bytes that
 * it reads from its journal; its time begins again.
 *
 * @param calls the number of agent calls, with all retries; 0 for {@value #MOST_CALLS}
 * @param time the time of the whole run; null for no limit
 * @param concurrency the number of concurrent calls; 0 for {@value #CONCURRENCY}
 * @param steps the number of steps, including the steps of each element of a map; 0 for {@value
 *     #STEPS}
 * @param bytes the size of the outputs and errors of all steps, which a run keeps until its end; 0
 *     for {@value #BYTES}
 */
public record Budget(int calls, @Nullable Duration time, int concurrency, int steps, int bytes) {
  /** The default number of calls of a run. */
  public static final int MOST_CALLS = 10_000;

  /** The default number of concurrent calls of a run. */
  public static final int CONCURRENCY = 16;

  /** The default number of steps of a run. */
  public static final int STEPS = 100_000;

  /** The default size of the outputs and errors of a run, in bytes. */
  public static final int BYTES = 256 << 20;

  /** The budget of a plan without the member {@code budget}. */
  public static final Budget DEFAULT = new Budget(0, null, 0, 0, 0);

  /** Replaces 0 by the defaults. */
  public Budget {
    calls = calls == 0 ? MOST_CALLS : calls;
    concurrency = concurrency == 0 ? CONCURRENCY : concurrency;
    steps = steps == 0 ? STEPS : steps;
    bytes = bytes == 0 ? BYTES : bytes;
  }
}
