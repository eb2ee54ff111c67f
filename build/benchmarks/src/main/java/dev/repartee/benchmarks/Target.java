package dev.repartee.benchmarks;

import dev.repartee.benchmarks.load.Sample;
import dev.repartee.benchmarks.report.Goal;
import dev.repartee.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A goal for Repartee: the result of one cell as a multiple of another cell of the same run.
 *
 * @param text a short description, for the table
 * @param measure the value of the two cells that is compared
 * @param bound the goal for the multiple
 * @param tried see {@link Goal}
 */
record Target(String text, Cell cell, Cell of, Measure measure, Goal.Bound bound, String tried) {
  /** The compared value. */
  enum Measure {
    RATE("", Sample::rate),
    COST("CPU time of a call: ", Sample::cpu);

    private final String words;
    private final ToDoubleFunction<Sample> value;

    Measure(String words, ToDoubleFunction<Sample> value) {
      this.words = words;
      this.value = value;
    }
  }

  /** An element of {@code goals.json}; a rate has a lower bound, a cost an upper bound. */
  record Row(String text, double bound, String measure, String cell, String of, String tried) {
    Target target() {
      boolean isCost = measure.equals("cost");
      return new Target(
          text,
          Cell.of(cell),
          Cell.of(of),
          isCost ? Measure.COST : Measure.RATE,
          isCost ? Goal.Bound.atMost(bound, "") : Goal.Bound.atLeast(bound),
          tried);
    }
  }

  /** Returns all goals that are measured by cells. */
  static List<Target> all() {
    try (InputStream in = Target.class.getResourceAsStream("goals.json")) {
      Row[] rows = Json.parse(Objects.requireNonNull(in).readAllBytes()).as(Row[].class);
      return Stream.of(rows).map(Row::target).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns whether this goal, or its second comparison, needs that cell. */
  boolean needs(Cell other) {
    return other.equals(cell) || other.equals(of) || beside().contains(other);
  }

  /** Returns the result, or null if a cell is missing. */
  @Nullable Goal goal(Figures figures) {
    double reached = multiple(figures, cell, of);
    return Double.isFinite(reached)
        ? new Goal(text, figure(), bound, reached, beside(figures), tried)
        : null;
  }

  /** Returns the multiple; not a number if one of the cells was not measured. */
  private double multiple(Figures figures, Cell one, Cell other) {
    Sample sample = figures.median(one);
    Sample base = figures.median(other);
    return sample == null || base == null
        ? Double.NaN
        : measure.value.applyAsDouble(sample) / measure.value.applyAsDouble(base);
  }

  private String figure() {
    return measure.words + "`" + cell + "` to `" + (measure == Measure.RATE ? of.entrant() : of)
        + "`";
  }

  /**
   * Returns the cells of the second comparison, two or none: the other raw echo, or its growth in
   * cost.
   */
  private List<Cell> beside() {
    if (measure == Measure.COST) {
      return List.of(of("raw-loop", cell), of("raw-loop", of));
    }
    return of.entrant().equals("raw-loop") ? List.of(cell, of("raw-netty", of)) : List.of();
  }

  private static Cell of(String entrant, Cell cell) {
    return new Cell(entrant, cell.workload(), cell.shape());
  }

  private String beside(Figures figures) {
    List<Cell> cells = beside();
    double multiple = cells.isEmpty() ? Double.NaN : multiple(figures, cells.get(0), cells.get(1));
    if (!Double.isFinite(multiple)) {
      return "";
    }
    return bound.said(multiple) + (measure == Measure.COST ? " raw-loop" : " to raw-netty");
  }
}
