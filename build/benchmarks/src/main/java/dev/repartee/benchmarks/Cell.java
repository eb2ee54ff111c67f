package dev.repartee.benchmarks;

import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.Workload;

/** The subject of one figure: a contestant, a workload and a shape. */
record Cell(String entrant, Workload workload, Shape shape) {
  /** Parses the output of {@link #toString}. */
  static Cell of(String text) {
    String[] parts = text.split("/");
    return new Cell(parts[2], Workload.of(parts[0]), Shape.of(parts[1]));
  }

  @Override
  public String toString() {
    return workload.label() + "/" + shape + "/" + entrant;
  }
}
