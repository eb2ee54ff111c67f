package dev.repartee.benchmarks;

import dev.repartee.benchmarks.load.Sample;
import dev.repartee.benchmarks.report.Statistics;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The measured samples, by cell: one for each round. */
final class Figures {
  private final Map<Cell, List<Sample>> samples = new LinkedHashMap<>();
  private final Map<Cell, String> failures = new LinkedHashMap<>();
  private int slices;
  private int dropped;
  private int noisy;

  void add(Cell cell, Sample sample) {
    samples.computeIfAbsent(cell, c -> new ArrayList<>()).add(sample);
    slices++;
  }

  /** Counts a disturbed slice that is repeated. */
  void dropped() {
    dropped++;
  }

  /** Counts a slice that was disturbed in every attempt and is kept nevertheless. */
  void noisy() {
    noisy++;
  }

  void failed(Cell cell, String why) {
    failures.put(cell, why);
  }

  /** Returns the medians of a cell, or null if it was not measured. */
  @Nullable Sample median(Cell cell) {
    List<Sample> all = samples.get(cell);
    return all == null ? null : Sample.median(all);
  }

  /** Returns the calls a second of each round. */
  List<Double> rates(Cell cell) {
    return samples.getOrDefault(cell, List.of()).stream().map(Sample::rate).toList();
  }

  Set<Cell> cells() {
    Set<Cell> cells = new LinkedHashSet<>(samples.keySet());
    cells.addAll(failures.keySet());
    return cells;
  }

  Map<Cell, String> failures() {
    return failures;
  }

  /** Returns the median, over all cells, of the relative spread of a cell's samples. */
  double noise() {
    return Statistics.median(samples.values().stream()
        .mapToDouble(all -> Statistics.spread(all.stream().mapToDouble(Sample::rate))));
  }

  /** Returns the number of slices, as a sentence for the report. */
  String slices() {
    return "Slices: " + slices + " counted; " + dropped
        + " disturbed by other processes and repeated; " + noisy
        + " disturbed each time and counted nevertheless";
  }
}
