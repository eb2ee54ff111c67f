package dev.repartee.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/** What was measured, cell by cell, a sample for each round. */
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

  /** A slice was disturbed and is measured again. */
  void dropped() {
    dropped++;
  }

  /** A slice was disturbed each time it was tried, and stands all the same. */
  void noisy() {
    noisy++;
  }

  void failed(Cell cell, String why) {
    failures.put(cell, why);
  }

  /** The medians of a cell, or null where nothing was measured. */
  @Nullable Sample median(Cell cell) {
    List<Sample> all = samples.get(cell);
    return all == null
        ? null
        : new Sample(
            Statistics.median(all.stream().mapToDouble(Sample::rate)),
            Statistics.median(all.stream().mapToDouble(Sample::median)),
            Statistics.median(all.stream().mapToDouble(Sample::tail)),
            Statistics.median(all.stream().mapToDouble(Sample::cpu)));
  }

  /** The calls a second of each round. */
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

  /** How far samples of one cell lie apart, as a part of their median: what is usual of all cells. */
  double noise() {
    return Statistics.median(samples.values().stream()
        .mapToDouble(all -> Statistics.spread(all.stream().mapToDouble(Sample::rate))));
  }

  private static DoubleStream rates(List<Sample> samples) {
    return samples.stream().mapToDouble(Sample::rate);
  }

  /** How many slices there were, for the report. */
  String slices() {
    return slices + " slices counted; " + dropped
        + " were disturbed by other processes and measured again, " + noisy
        + " were disturbed each time and count all the same";
  }
}
