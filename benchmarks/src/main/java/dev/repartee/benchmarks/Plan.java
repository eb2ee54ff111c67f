package dev.repartee.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What is measured, and for how long.
 *
 * @param workloads in this order
 * @param pattern which cells
 * @param slice the time of one sample
 * @param warmUp the time of one sample before, of which there are as many as it takes
 * @param steady how many of those in a row have to be no faster
 * @param rounds the samples of each cell
 */
record Plan(
    List<Workload> workloads,
    Predicate<Cell> pattern,
    Duration slice,
    Duration warmUp,
    int steady,
    int rounds) {
  private static final List<Shape> SMALL = List.of(
      new Shape(1, 1),
      new Shape(1, 128),
      new Shape(32, 1),
      new Shape(32, 16),
      new Shape(1_000, 1),
      new Shape(1, 1, 10_000),
      new Shape(32, 1, 10_000));
  private static final List<Shape> MEDIUM =
      List.of(new Shape(1, 64), new Shape(32, 1), new Shape(32, 16));
  private static final Set<String> CROWDED =
      Set.of("raw-loop", "raw-netty", "raw-ws", "repartee", "repartee-ws");

  /** Of requests with 100 notifications each. */
  private static final List<Shape> TRAINS =
      List.of(new Shape(1, 1), new Shape(1, 8), new Shape(32, 4));

  /** 10,000 calls, and no more on one connection than there are ids. */
  private static final List<Shape> CROWD = List.of(new Shape(16, 625));

  private static final List<Shape> LARGE = List.of(new Shape(1, 1), new Shape(32, 1));

  /** The shapes in which a workload is looked at. */
  static List<Shape> shapes(Workload workload) {
    return switch (workload) {
      case SUBTRACT -> SMALL;
      case ECHO_1K_RAW, ECHO_1K -> MEDIUM;
      case ECHO_64K_RAW, ECHO_64K -> LARGE;
      case NOTIFY, PUSH -> TRAINS;
      case SLEEP -> CROWD;
    };
  }

  /** The same, of the cells that goals are about. */
  Plan ofGoals() {
    return new Plan(
        workloads,
        cell -> pattern.test(cell) && Target.all().stream().anyMatch(t -> t.needs(cell)),
        slice,
        warmUp,
        steady,
        rounds);
  }

  /** The cells of one entrant. */
  boolean includes(Entrant entrant, Workload workload, Shape shape) {
    return entrant.contestant().plays(workload, shape)
        && OpenFiles.most(shape.connections()) == shape.connections()
        && (!shape.isCrowd() || CROWDED.contains(entrant.contestant().name()))
        && pattern.test(new Cell(entrant.name(), workload, shape))
        && entrant.lacks() == null;
  }
}
