package dev.repartee.benchmarks;

import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.benchmarks.process.OpenFiles;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The cells to measure and the time for each.
 *
 * @param workloads the workloads, in order
 * @param pattern selects the cells
 * @param slice the time of one sample
 * @param warmUp the time of one warm-up sample; their number depends on {@code steady}
 * @param steady the number of warm-up samples in a row without an improvement that ends the warm-up
 * @param rounds the number of samples of each cell
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

  /** The shapes for requests with 100 notifications each. */
  private static final List<Shape> TRAINS =
      List.of(new Shape(1, 1), new Shape(1, 8), new Shape(32, 4));

  /** 10,000 calls; the calls of one connection must not exceed the number of ids. */
  private static final List<Shape> CROWD = List.of(new Shape(16, 625));

  private static final List<Shape> LARGE = List.of(new Shape(1, 1), new Shape(32, 1));

  /** Returns the shapes that are measured for a workload. */
  static List<Shape> shapes(Workload workload) {
    return switch (workload) {
      case SUBTRACT -> SMALL;
      case ECHO_1K_RAW, ECHO_1K -> MEDIUM;
      case ECHO_64K_RAW, ECHO_64K -> LARGE;
      case NOTIFY, PUSH -> TRAINS;
      case SLEEP -> CROWD;
    };
  }

  /** Returns this plan, restricted to the cells of goals. */
  Plan ofGoals() {
    return only(cell -> Target.all().stream().anyMatch(target -> target.needs(cell)));
  }

  /** Returns this plan, restricted to some of its cells. */
  Plan only(Predicate<Cell> cells) {
    return new Plan(workloads, pattern.and(cells), slice, warmUp, steady, rounds);
  }

  /** Returns whether the plan includes that cell. */
  boolean includes(Entrant entrant, Workload workload, Shape shape) {
    return entrant.contestant().plays(workload, shape)
        && OpenFiles.most(shape.connections()) == shape.connections()
        && (!shape.isCrowd() || CROWDED.contains(entrant.contestant().name()))
        && pattern.test(new Cell(entrant.name(), workload, shape))
        && entrant.lacks() == null;
  }
}
