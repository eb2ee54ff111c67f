package dev.repartee.benchmarks;

/** What one figure is of. */
record Cell(String entrant, Workload workload, Shape shape) {
  @Override
  public String toString() {
    return workload.label() + "/" + shape + "/" + entrant;
  }
}
