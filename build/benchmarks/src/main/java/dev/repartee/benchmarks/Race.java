package dev.repartee.benchmarks;

import dev.repartee.benchmarks.load.Sample;
import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.benchmarks.process.CpuUse;
import dev.repartee.benchmarks.report.Text;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Measures a plan: each round measures every entrant once, and drift affects all entrants alike.
 */
final class Race {
  /** The maximum share of one CPU that other processes may use during a slice. */
  private static final double DISTURBED = 0.15;

  private static final int RETRIES = 3;

  /** The maximum number of warm-up slices: ten seconds, as gRPC's client needs. */
  private static final int WARM_UPS = 40;

  /** The factor by which a slice must beat the best earlier slice to count as faster. */
  private static final double FASTER = 1.04;

  private final Plan plan;
  private final List<Entrant> entrants;
  private final Path logs;
  private final Figures figures = new Figures();

  Race(Plan plan, List<Entrant> entrants, Path logs) {
    this.plan = plan;
    this.entrants = entrants;
    this.logs = logs;
  }

  Figures run() throws IOException {
    for (Workload workload : plan.workloads()) {
      List<Entrant> playing = playing(workload);
      if (!playing.isEmpty()) {
        run(workload, playing);
      }
    }
    return figures;
  }

  private List<Entrant> playing(Workload workload) {
    return entrants.stream()
        .filter(e -> Plan.shapes(workload).stream().anyMatch(s -> plan.includes(e, workload, s)))
        .toList();
  }

  private void run(Workload workload, List<Entrant> playing) throws IOException {
    System.err.printf("%s: starting %d servers%n", workload.label(), playing.size());
    try (Course course = new Course(workload, playing, logs)) {
      for (int round = 0; round <= plan.rounds(); round++) {
        for (Shape shape : Plan.shapes(workload)) {
          round(course, workload, shape, round, playing);
        }
      }
    }
  }

  /** Runs one round. The first round warms up; every second round runs in reverse order. */
  private void round(
      Course course, Workload workload, Shape shape, int round, List<Entrant> playing)
      throws IOException {
    List<Entrant> order = new ArrayList<>(playing);
    if (round % 2 == 1) {
      Collections.reverse(order);
    }
    StringBuilder said = new StringBuilder();
    for (Entrant entrant : order) {
      Cell cell = new Cell(entrant.name(), workload, shape);
      if (plan.includes(entrant, workload, shape) && !figures.failures().containsKey(cell)) {
        said.append(slice(course, entrant, cell, round));
      }
    }
    if (said.length() > 0) {
      System.err.printf("%d/%d %s %s:%s%n", round, plan.rounds(), workload.label(), shape, said);
    }
  }

  private String slice(Course course, Entrant entrant, Cell cell, int round) {
    try {
      Sample sample;
      if (round == 0) {
        sample = warmUp(course, entrant, cell.shape());
      } else {
        sample = quietSlice(course, entrant, cell.shape());
        figures.add(cell, sample);
      }
      return Text.of(" %s %,.0f", entrant.name(), sample.rate());
    } catch (IOException e) {
      figures.failed(cell, String.valueOf(e.getMessage()));
      return " " + entrant.name() + " " + e.getMessage();
    }
  }

  /**
   * Warms up until the rate does not improve; a compiler that shares the server's CPU needs time.
   */
  private Sample warmUp(Course course, Entrant entrant, Shape shape) throws IOException {
    Sample best = course.slice(entrant, shape, plan.warmUp());
    int steady = 0;
    for (int slices = 1; slices < WARM_UPS && steady < plan.steady(); slices++) {
      Sample sample = course.slice(entrant, shape, plan.warmUp());
      steady = sample.rate() > best.rate() * FASTER ? 0 : steady + 1;
      best = sample.rate() > best.rate() ? sample : best;
    }
    return best;
  }

  private Sample quietSlice(Course course, Entrant entrant, Shape shape) throws IOException {
    Duration time = plan.slice();
    for (int tried = 0; ; tried++) {
      CpuUse before = CpuUse.now(course.processes(entrant));
      long begun = System.nanoTime();
      Sample sample = course.slice(entrant, shape, time);
      double seconds = (System.nanoTime() - begun) / 1e9;
      if (CpuUse.now(course.processes(entrant)).since(before, seconds) <= DISTURBED) {
        return sample;
      }
      if (tried == RETRIES) {
        figures.noisy();
        return sample;
      }
      figures.dropped();
    }
  }
}
