package dev.repartee.benchmarks.agents;

import dev.repartee.benchmarks.load.Tally;
import dev.repartee.benchmarks.load.Turns;
import dev.repartee.benchmarks.process.Child;
import dev.repartee.benchmarks.process.Jvm;
import dev.repartee.benchmarks.process.Libraries;
import dev.repartee.benchmarks.report.Section;
import dev.repartee.benchmarks.report.Text;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures concurrent runs of a plan with five steps, in comparison with the same tasks as futures:
 * steps a second, the CPU time of a step, and the heap of a run. The contestants take turns, each
 * in a separate process that may use all CPUs.
 */
public final class PlanRuns {
  private static final int CONCURRENT = 1_000;
  private static final int WARM_UPS = 10;
  private static final double KIB = 1_024;

  private PlanRuns() {}

  /** A process with runs of one kind. */
  private record Team(Runs.Kind kind, Child child, Tally tally) {}

  /**
   * Measures all kinds of runs.
   *
   * @param rounds the number of samples of each
   * @param slice the time of a sample
   */
  public static Section run(Jvm jvm, Path log, int rounds, Duration slice) throws IOException {
    Jvm own = jvm.only(Libraries.AGENTS + "|" + Libraries.DRIVER);
    List<Team> teams = new ArrayList<>();
    try {
      for (Runs.Kind kind : Runs.Kind.values()) {
        Child child = new Child(own.unpinned(Jvm.MEMORY, RunsMain.class, kind.name()), log);
        teams.add(new Team(kind, child, new Tally()));
      }
      String request = "rate " + CONCURRENT + " " + slice.toMillis();
      Turns<Team> turns = new Turns<>("runs of plans", teams);
      turns.warmUp(WARM_UPS, WARM_UPS, team -> {
        team.child.ask(request);
        return 0;
      });
      turns.rounds(rounds, team -> team.tally.sample(team.child, request, team.child));
      return section(teams);
    } finally {
      teams.forEach(team -> team.child.close());
    }
  }

  private static Section section(List<Team> teams) throws IOException {
    Text text = new Text().add("""
        ## Runs of plans

        %,d runs at the same time, started again as soon as all have ended. A plan has five steps: one, two at the
        same time, then two more. Each step adds one to a number, on a separate thread, in a process with all
        CPUs. Every output is checked. Heap is the memory of a run that waits in its fourth step. The second row
        is the limit: the same tasks as futures, without a plan, validation, limits, or an account of the steps.

        | | steps a second | CPU for a step, us | heap of a run, KiB |
        |---|---|---|---|
        """, CONCURRENT);
    for (Team team : teams) {
      double heap = Double.parseDouble(team.child.ask("memory " + CONCURRENT));
      text.add(
          "| %s | %,.0f | %.1f | %.1f |%n",
          team.kind.label, team.tally.rate(), team.tally.cpu(0), heap / KIB);
    }
    return new Section(text.toString(), List.of(), List.of(), List.of());
  }
}
