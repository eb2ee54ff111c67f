package dev.repartee.benchmarks;

import dev.repartee.benchmarks.load.Contestant;
import dev.repartee.benchmarks.load.Sample;
import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.benchmarks.report.Chart;
import dev.repartee.benchmarks.report.Goal;
import dev.repartee.benchmarks.report.Section;
import dev.repartee.benchmarks.report.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.ToDoubleBiFunction;
import org.jspecify.annotations.Nullable;

/** The results of a {@link Race}: tables, charts and goals. */
final class RaceReport {
  /** The contestant that is compared with the peers: like them it is measured on both sides. */
  private static final String US = "repartee-pair";

  private final Figures figures;
  private final List<Entrant> entrants;
  private final String machine;
  private final Text text = new Text();
  private final List<Chart> charts = new ArrayList<>();

  RaceReport(Figures figures, List<Entrant> entrants, String machine) {
    this.figures = figures;
    this.entrants = entrants;
    this.machine = machine;
  }

  /**
   * Returns the overview, an introduction, a section for each workload, and the list of
   * contestants.
   */
  List<Section> sections() {
    List<Section> sections = new ArrayList<>(new Overview(figures, machine).sections());
    sections.add(introduction());
    for (Workload workload : Workload.values()) {
      List<Contestant> rows = rows(workload);
      if (!rows.isEmpty()) {
        text.add("### %s%n", workload.label());
        limits(workload, rows);
        peers(workload, rows.stream().filter(RaceReport::isPeer).toList());
        costs(workload, rows);
        sections.add(section(List.of(), List.of()));
      }
    }
    contestants();
    sections.add(section(List.of(), List.of()));
    return sections;
  }

  private Section introduction() {
    text.add("""
        ## All cells

        %s.
        The tables show medians. The samples of a cell lie ±%.1f %% around their median.

        A figure is calls a second (for `notify` and `push`, notifications). The ratio to the raw echo that is the limit
        follows in parentheses. With one call in flight on each connection the latency follows: median / 99th percentile in
        microseconds; for `sleep` the latency of all calls together.
        """, figures.slices(), 100 * figures.noise());
    List<Goal> goals = Target.all().stream()
        .map(target -> target.goal(figures))
        .filter(Objects::nonNull)
        .toList();
    List<String> failures = figures.failures().entrySet().stream()
        .map(failed -> failed.getKey() + ": " + failed.getValue())
        .toList();
    return section(goals, failures);
  }

  /** Returns the text and the charts since the last section. */
  private Section section(List<Goal> goals, List<String> failures) {
    Section section = new Section(text.taken(), goals, List.copyOf(charts), failures);
    charts.clear();
    return section;
  }

  private List<Contestant> rows(Workload workload) {
    return entrants.stream()
        .map(Entrant::contestant)
        .filter(c ->
            Plan.shapes(workload).stream().anyMatch(s -> sample(c.name(), workload, s) != null))
        .toList();
  }

  private @Nullable Sample sample(String entrant, Workload workload, Shape shape) {
    return figures.median(new Cell(entrant, workload, shape));
  }

  /** Returns the ratio of two rates; not a number if one was not measured. */
  private double ratio(String entrant, String other, Workload workload, Shape shape) {
    Sample one = sample(entrant, workload, shape);
    Sample base = sample(other, workload, shape);
    return one == null || base == null ? Double.NaN : one.rate() / base.rate();
  }

  private static boolean isPeer(Contestant contestant) {
    return Chart.Bar.owner(contestant.name()) == Chart.Of.PEER;
  }

  // ---------------------------------------------------------------- the parts of a section

  private void limits(Workload workload, List<Contestant> rows) {
    List<Contestant> limited =
        rows.stream().filter(c -> !isPeer(c) && !c.limit().equals(c.name())).toList();
    String title = workload.label() + ": calls a second, relative to the raw echo";
    chart("limit-", title, workload, limited, (c, s) -> ratio(c.name(), c.limit(), workload, s));
    table("", "", workload, rows, (c, s) -> figure(c, workload, s));
  }

  private String figure(Contestant contestant, Workload workload, Shape shape) {
    Sample sample = sample(contestant.name(), workload, shape);
    if (sample == null) {
      return "";
    }
    String limit = contestant.limit(workload);
    double ratio = ratio(contestant.name(), limit, workload, shape);
    boolean isLimited = !limit.equals(contestant.name()) && !Double.isNaN(ratio);
    return rate(sample.rate())
        + (isLimited ? Text.of(" (%.2f)", ratio) : "")
        + (sample.median() > 0 ? Text.of(" %.0f / %.0f", sample.median(), sample.tail()) : "");
  }

  /** Returns the rate with three digits: 11.9K, 1.26M. */
  static String rate(double value) {
    String unit = value < 1e3 ? "" : value < 1e6 ? "K" : "M";
    double scaled = value < 1e3 ? value : value < 1e6 ? value / 1e3 : value / 1e6;
    return Text.of(scaled < 10 ? "%.2f%s" : scaled < 100 ? "%.1f%s" : "%.0f%s", scaled, unit);
  }

  /** Adds the ratio of {@link #US} to each peer. */
  private void peers(Workload workload, List<Contestant> peers) {
    if (Plan.shapes(workload).stream().allMatch(s -> sample(US, workload, s) == null)) {
      return;
    }
    String title = workload.label() + ": calls a second of the peers, relative to " + US;
    chart("peers-", title, workload, peers, (c, s) -> ratio(c.name(), US, workload, s));
    table(US + ", times as fast", "as ", workload, peers, (c, s) -> {
      double times = ratio(US, c.name(), workload, s);
      return Double.isFinite(times) ? Text.of("%.1f", times) : "";
    });
  }

  /** Adds the server's CPU time, where it was measured. */
  private void costs(Workload workload, List<Contestant> rows) {
    BiFunction<Contestant, Shape, String> cost = (contestant, shape) -> {
      Sample sample = sample(contestant.name(), workload, shape);
      return sample == null || sample.cpu() == 0
          ? ""
          : Text.of(sample.cpu() < 10 ? "%.2f" : "%.1f", sample.cpu());
    };
    List<Contestant> measured = rows.stream()
        .filter(
            c -> Plan.shapes(workload).stream().anyMatch(s -> !cost.apply(c, s).isEmpty()))
        .toList();
    table("CPU time of the server for a call, µs", "", workload, measured, cost);
  }

  private void table(
      String head,
      String prefix,
      Workload workload,
      List<Contestant> rows,
      BiFunction<Contestant, Shape, String> figure) {
    if (rows.isEmpty()) {
      return;
    }
    List<Shape> shapes = Plan.shapes(workload);
    text.add("%n| %s", head);
    shapes.forEach(shape -> text.add(" | %s", shape));
    text.add(" |%n|---|%s%n", "---|".repeat(shapes.size()));
    for (Contestant row : rows) {
      text.add("| %s%s", prefix, row.name());
      shapes.forEach(shape -> text.add(" | %s", figure.apply(row, shape)));
      text.add(" |%n");
    }
  }

  private void chart(
      String prefix,
      String title,
      Workload workload,
      List<Contestant> rows,
      ToDoubleBiFunction<Contestant, Shape> figure) {
    List<Chart.Group> groups = new ArrayList<>();
    for (Shape shape : Plan.shapes(workload)) {
      List<Chart.Bar> bars = new ArrayList<>();
      for (Contestant row : rows) {
        double ratio = figure.applyAsDouble(row, shape);
        if (!Double.isNaN(ratio)) {
          String said = Text.of(ratio < 0.1 ? "%.3f" : "%.2f", ratio);
          bars.add(new Chart.Bar(row.name(), ratio, said, Chart.Bar.owner(row.name())));
        }
      }
      if (!bars.isEmpty()) {
        groups.add(new Chart.Group(shape.toString(), bars));
      }
    }
    if (!groups.isEmpty()) {
      charts.add(
          new Chart(prefix + workload.label(), Chart.Width.WIDE, title, 1, groups, List.of()));
    }
  }

  private void contestants() {
    text.add("### Contestants%n%n");
    Set<Cell> cells = figures.cells();
    for (Entrant entrant : entrants) {
      if (cells.stream().anyMatch(cell -> cell.entrant().equals(entrant.name()))) {
        text.add("- `%s`: %s%n", entrant.name(), entrant.contestant().about());
      } else if (entrant.lacks() != null) {
        text.add("- `%s`: left out, since this is missing: %s%n", entrant.name(), entrant.lacks());
      }
    }
  }
}
