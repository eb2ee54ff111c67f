package dev.repartee.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * Two builds side by side, cell by cell. Both are measured in each round, one after the other, so it
 * is the ratio within a round that counts: what slowed one down slowed the other down too.
 */
final class Comparison {
  static final String THIS = "this";
  static final String OTHER = "other";

  /** Less than that is nothing, however sure. */
  private static final double WORTH_SAYING = 0.02;

  /** Of fewer ratios nothing can be said with such confidence. */
  private static final int ENOUGH = 6;

  private Comparison() {}

  static String text(Figures figures, String machine) {
    StringBuilder text = new StringBuilder(String.format(
        Locale.ROOT,
        "%s.%n%s.%n%n| cell | other | this | this / other | 95 %% | |%n|---|---|---|---|---|---|%n",
        machine,
        figures.slices()));
    for (Cell cell : figures.cells()) {
      if (cell.entrant().endsWith("@" + THIS)) {
        text.append(row(figures, cell));
      }
    }
    figures.failures().forEach((cell, why) -> text.append(String.format("%n%s: %s", cell, why)));
    return text.toString();
  }

  private static String row(Figures figures, Cell ours) {
    String contestant = ours.entrant().substring(0, ours.entrant().indexOf('@'));
    Cell other = new Cell(contestant + "@" + OTHER, ours.workload(), ours.shape());
    List<Double> news = figures.rates(ours);
    List<Double> olds = figures.rates(other);
    int rounds = Math.min(news.size(), olds.size());
    if (rounds == 0) {
      return "";
    }
    DoubleStream ratios = IntStream.range(0, rounds).mapToDouble(i -> news.get(i) / olds.get(i));
    double[] all = ratios.toArray();
    double ratio = Statistics.median(DoubleStream.of(all));
    Statistics.Interval interval = Statistics.medianInterval(DoubleStream.of(all));
    return String.format(
        Locale.ROOT,
        "| %s/%s/%s | %s | %s | %.3f | %.3f to %.3f | %s |%n",
        ours.workload().label(),
        ours.shape(),
        contestant,
        Report.rate(Statistics.median(olds.stream().mapToDouble(d -> d))),
        Report.rate(Statistics.median(news.stream().mapToDouble(d -> d))),
        ratio,
        interval.low(),
        interval.high(),
        rounds < ENOUGH ? "too few rounds" : verdict(ratio, interval));
  }

  /** What a ratio says: nothing where 1 lies in its interval. */
  static String verdict(double ratio, Statistics.Interval interval) {
    if (interval.contains(1) || Math.abs(ratio - 1) < WORTH_SAYING) {
      return "";
    }
    return ratio > 1 ? "**faster**" : "**slower**";
  }
}
