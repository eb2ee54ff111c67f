package dev.repartee.agents.run;

import dev.repartee.agents.AgentException;
import dev.repartee.agents.Failure;
import dev.repartee.agents.plan.Budget;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The calls, steps and bytes of one run, which stay within its budget. A resumed run has used those
 * in its journal. Thread-safe.
 */
final class Usage {
  private final Budget budget;
  private final AtomicLong calls = new AtomicLong();
  private final AtomicLong steps = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();

  Usage(Budget budget) {
    this.budget = budget;
  }

  /** Returns the number of calls so far. */
  int calls() {
    return Math.toIntExact(Math.min(calls.get(), budget.calls()));
  }

  /**
   * Counts a call.
   *
   * @throws AgentException if there is none left
   */
  void call() {
    add(calls, 1, budget.calls(), "calls");
  }

  /** Counts the calls in the journal. */
  void callsBefore(long attempts) {
    calls.addAndGet(attempts);
  }

  /**
   * Counts steps that begin.
   *
   * @throws AgentException if the budget has less
   */
  void steps(long more) {
    add(steps, more, budget.steps(), "steps");
  }

  /**
   * Counts the bytes of an output or an error, which the run keeps.
   *
   * @throws AgentException if the budget has less
   */
  void keep(long more) {
    add(bytes, more, budget.bytes(), "bytes for outputs and errors");
  }

  private static void add(AtomicLong used, long more, long most, String what) {
    if (used.addAndGet(more) > most) {
      throw new AgentException(
          Failure.Kind.BUDGET, "the budget of " + most + " " + what + " is used up");
    }
  }
}
