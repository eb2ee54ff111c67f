package dev.repartee.agents.run;

import dev.repartee.agents.AgentException;
import dev.repartee.agents.Failure;
import dev.repartee.agents.plan.Budget;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the calls, steps and bytes of one run, and fails the run when its budget is exceeded. A
 * resumed run also counts the calls, steps and bytes in its journal. Thread-safe.
 */
final class Usage {
  private final Budget budget;
  private final AtomicLong calls = new AtomicLong();
  private final AtomicLong steps = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();

  Usage(Budget budget) {
    this.budget = budget;
  }

  /** Returns the number of calls so far. A refused call is counted, but exceeds the budget. */
  int calls() {
    return Math.toIntExact(Math.min(calls.get(), budget.calls()));
  }

  /**
   * Counts a call.
   *
   * @throws AgentException if the budget is exceeded
   */
  void call() {
    add(calls, 1, budget.calls(), "calls");
  }

  /** Counts the calls in the journal. Does not fail; the next {@link #call} does. */
  void callsBefore(long attempts) {
    calls.addAndGet(attempts);
  }

  /**
   * Counts steps.
   *
   * @throws AgentException if the budget is exceeded
   */
  void steps(long more) {
    add(steps, more, budget.steps(), "steps");
  }

  /**
   * Counts the bytes of an output or an error, which the run keeps until its end.
   *
   * @throws AgentException if the budget is exceeded
   */
  void keep(long more) {
    add(bytes, more, budget.bytes(), "bytes for outputs and errors");
  }

  private static void add(AtomicLong used, long more, long most, String unit) {
    if (used.addAndGet(more) > most) {
      throw new AgentException(
          Failure.Kind.BUDGET, "the budget of " + most + " " + unit + " is used up");
    }
  }
}
