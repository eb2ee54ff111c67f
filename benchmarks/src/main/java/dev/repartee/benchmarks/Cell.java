package dev.repartee.benchmarks;

/** The subject of one figure: a contestant, a workload and a shape. */
record Cell(String entrant, Workload workload, Shape shape) {
  @Override
  public String toString() {
    return workload.label() + "/" + shape + "/" + entrant;
  }
}
