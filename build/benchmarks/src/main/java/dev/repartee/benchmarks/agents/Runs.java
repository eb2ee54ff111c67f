package dev.repartee.benchmarks.agents;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Runs of five tasks that depend on each other: one, then two at the same time, then two more. Each
 * task adds one to its number on a separate thread; a run adds four.
 */
interface Runs extends AutoCloseable {
  /** The number of tasks of a run. */
  int STEPS = 5;

  /** The difference between the output and the input of a run. */
  int ADDED = 4;

  /** Starts a run with an input, and returns its future output. */
  CompletableFuture<Integer> start(int input);

  @Override
  default void close() {}

  /** A task; it may block. */
  interface Work {
    int next(int number) throws InterruptedException;
  }

  /** The ways to run the tasks. */
  enum Kind {
    ORCHESTRATOR("repartee, agents in the process", OrchestratedRuns::new),
    FUTURES("futures, the same tasks", ChainedFutures::new);

    final String label;
    final Function<Work, Runs> start;

    Kind(String label, Function<Work, Runs> start) {
      this.label = label;
      this.start = start;
    }
  }
}
