package dev.repartee.benchmarks.agents;

/** The ways to run five tasks that depend on each other. */
enum Contestant {
  ORCHESTRATOR("repartee, agents in the process", OrchestratedRuns::new),
  FUTURES("futures, the same tasks", ChainedFutures::new);

  final String label;
  private final Runs.Factory factory;

  Contestant(String label, Runs.Factory factory) {
    this.label = label;
    this.factory = factory;
  }

  /**
   * Returns runs of this kind.
   *
   * @param work does the tasks
   */
  Runs start(Runs.Work work) {
    return factory.with(work);
  }
}
