package dev.repartee.benchmarks;

import dev.repartee.benchmarks.report.Statistics;
import dev.repartee.benchmarks.report.Text;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * Compares two builds, cell by cell. Each round measures both, one right after the other, and only
 * the ratio within a round counts: a disturbance slows down both builds.
 */
final class Comparison {
  static final String THIS = "this";
  static final String OTHER = "other";

  /** A smaller difference is not reported, even if it is significant. */
  private static final double WORTH_SAYING = 0.02;

  /** The minimum number of ratios for the confidence interval. */
  private static final int ENOUGH = 6;

  private Comparison() {}

  /**
   * Returns the report.
   *
   * @param missing the contestants and cells that the other build does not know
   */
  static String text(Figures figures, List<String> missing, String machine) {
    Text text = new Text().add("%s.%n%n%s.%n%n", machine, figures.slices());
    text.add("| cell | other | this | this / other | 95 %% | |%n|---|---|---|---|---|---|%n");
    for (Cell cell : figures.cells()) {
      if (cell.entrant().endsWith("@" + THIS)) {
        text.add("%s", row(figures, cell));
      }
    }
    if (!missing.isEmpty()) {
      text.add("%n%s%n", leftOut(missing));
    }
    figures.failures().forEach((cell, why) -> text.add("%n%s: %s", cell, why));
    return text.toString();
  }

  static String leftOut(List<String> missing) {
    return "Left out, since the other build does not know them: " + String.join(", ", missing)
        + ".";
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
    return Text.of(
        "| %s/%s/%s | %s | %s | %.3f | %.3f to %.3f | %s |%n",
        ours.workload().label(),
        ours.shape(),
        contestant,
        RaceReport.rate(Statistics.median(olds.stream().mapToDouble(d -> d))),
        RaceReport.rate(Statistics.median(news.stream().mapToDouble(d -> d))),
        ratio,
        interval.low(),
        interval.high(),
        rounds < ENOUGH ? "too few rounds" : verdict(ratio, interval));
  }

  /** Returns the verdict on a ratio: empty if it is close to 1 or its interval contains 1. */
  static String verdict(double ratio, Statistics.Interval interval) {
    if (interval.contains(1) || Math.abs(ratio - 1) < WORTH_SAYING) {
      return "";
    }
    return ratio > 1 ? "**faster**" : "**slower**";
  }
}
