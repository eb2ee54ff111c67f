package dev.repartee.benchmarks;

import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.Workload;

/** The subject of one figure: a contestant, a workload and a shape. */
record Cell(String entrant, Workload workload, Shape shape) {
  @Override
  public String toString() {
    return workload.label() + "/" + shape + "/" + entrant;
  }
}
