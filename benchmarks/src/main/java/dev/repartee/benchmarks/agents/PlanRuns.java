package dev.repartee.benchmarks.agents;

import dev.repartee.benchmarks.process.Child;
import dev.repartee.benchmarks.process.CpuUse;
import dev.repartee.benchmarks.process.Jvm;
import dev.repartee.benchmarks.process.Libraries;
import dev.repartee.benchmarks.report.Section;
import dev.repartee.benchmarks.report.Statistics;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * Measures concurrent runs of a plan with five steps, beside the same tasks as futures: steps a
 * second, the CPU time of a step, and the heap of a run. The contestants take turns, each in a
 * process of its own, which may use all CPUs.
 */
public final class PlanRuns {
  private static final int CONCURRENT = 1_000;
  private static final int WARM_UPS = 10;
  private static final double KIB = 1_024;

  /** The figures of one contestant. */
  private static final class Row {
    final List<Double> rates = new ArrayList<>();
    final List<Double> cpu = new ArrayList<>();
    double bytes;

    void sample(Child child, Duration slice) throws IOException {
      double seconds = CpuUse.secondsOf(child.pid());
      long began = System.nanoTime();
      double rate = rate(child, slice);
      double steps = rate * (System.nanoTime() - began) / 1e9;
      rates.add(rate);
      cpu.add((CpuUse.secondsOf(child.pid()) - seconds) * 1e6 / steps);
    }
  }

  private PlanRuns() {}

  /**
   * Measures all contestants.
   *
   * @param rounds the number of samples of each
   * @param slice the time of a sample
   */
  public static Section run(Jvm jvm, Path log, int rounds, Duration slice) throws IOException {
    Map<Contestant, Row> rows = new EnumMap<>(Contestant.class);
    Map<Contestant, Child> children = new EnumMap<>(Contestant.class);
    try {
      for (Contestant contestant : Contestant.values()) {
        rows.put(contestant, new Row());
        Child child = new Child(command(jvm, contestant), log);
        children.put(contestant, child);
        child.hear();
      }
      for (int round = -WARM_UPS; round < rounds; round++) {
        System.err.printf("runs of plans: round %d of %d%n", round + 1, rounds);
        for (Map.Entry<Contestant, Child> child : children.entrySet()) {
          if (round < 0) {
            rate(child.getValue(), slice);
          } else {
            Objects.requireNonNull(rows.get(child.getKey())).sample(child.getValue(), slice);
          }
        }
      }
      for (Map.Entry<Contestant, Child> child : children.entrySet()) {
        child.getValue().say("memory " + CONCURRENT);
        Objects.requireNonNull(rows.get(child.getKey())).bytes =
            Double.parseDouble(child.getValue().hear());
      }
    } finally {
      children.values().forEach(Child::close);
    }
    return section(rows);
  }

  private static List<String> command(Jvm jvm, Contestant contestant) {
    List<String> words = new ArrayList<>(List.of(jvm.java()));
    words.addAll(Jvm.MEMORY);
    words.addAll(List.of(
        "-cp",
        jvm.only(Libraries.AGENTS + "|" + Libraries.OWN).classPath(),
        RunsMain.class.getName(),
        contestant.name()));
    return words;
  }

  private static double rate(Child child, Duration slice) throws IOException {
    child.say("rate " + CONCURRENT + " " + slice.toMillis());
    return Double.parseDouble(child.hear());
  }

  private static Section section(Map<Contestant, Row> rows) {
    StringBuilder text = new StringBuilder(String.format(
        Locale.ROOT,
        "## Runs of plans%n%n%,d runs at the same time, started again as soon as all have ended. "
            + "A plan has five steps: one, two at the%nsame time, then two more. Each step adds "
            + "one to a number, on a thread of its own, in a process with all%nCPUs. Every output "
            + "is checked. Heap is the memory of a run that waits in its fourth step. The second "
            + "row%nis the limit: the same tasks as futures, without a plan, validation, limits, "
            + "or an account of the steps.%n%n"
            + "| | steps a second | CPU for a step, us | heap of a run, KiB |%n"
            + "|---|---|---|---|%n",
        CONCURRENT));
    rows.forEach((contestant, row) -> text.append(String.format(
        Locale.ROOT,
        "| %s | %,.0f | %.1f | %.1f |%n",
        contestant.label,
        median(row.rates),
        median(row.cpu),
        row.bytes / KIB)));
    return new Section(text.toString(), List.of(), List.of(), List.of());
  }

  private static double median(List<Double> samples) {
    return Statistics.median(samples.stream().mapToDouble(Double::doubleValue));
  }
}
