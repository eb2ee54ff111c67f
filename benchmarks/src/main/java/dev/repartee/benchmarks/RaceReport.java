package dev.repartee.benchmarks;

import dev.repartee.benchmarks.load.Contestant;
import dev.repartee.benchmarks.load.Sample;
import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.benchmarks.report.Chart;
import dev.repartee.benchmarks.report.Goal;
import dev.repartee.benchmarks.report.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The results of a {@link Race}: tables, charts and goals. */
final class RaceReport {
  /** The contestant that is compared with the peers: like them it is measured on both sides. */
  private static final String US = "repartee-pair";

  private final Figures figures;
  private final List<Entrant> entrants;
  private final StringBuilder text = new StringBuilder();
  private final List<Chart> charts = new ArrayList<>();

  RaceReport(Figures figures, List<Entrant> entrants) {
    this.figures = figures;
    this.entrants = entrants;
  }

  /** Returns an introduction, a section for each workload, and the list of contestants. */
  List<Section> sections() {
    List<Section> sections = new ArrayList<>();
    sections.add(introduction());
    for (Workload workload : Workload.values()) {
      if (!rows(workload).isEmpty()) {
        add("### %s%n", workload.label());
        table(workload);
        peers(workload);
        costs(workload);
        sections.add(section(List.of(), List.of()));
      }
    }
    contestants();
    sections.add(section(List.of(), List.of()));
    return sections;
  }

  private Section introduction() {
    add("## Calls a second%n%n%s.%n", figures.slices());
    add(
        "The tables show medians. The samples of a cell lie ±%.1f %% around their median.%n",
        100 * figures.noise());
    add("%nA figure is calls a second (for `notify` and `push`, notifications). The ratio to the ");
    add("raw echo that is the limit%nfollows in parentheses. With one call in flight on each ");
    add("connection the latency follows: median / 99th percentile in%nmicroseconds; for `sleep` ");
    add("the latency of all calls together.%n");
    List<Goal> goals = new ArrayList<>();
    for (Target target : Target.all()) {
      Goal goal = target.goal(figures);
      if (goal != null) {
        goals.add(goal);
      }
    }
    List<String> failures = figures.failures().entrySet().stream()
        .map(failed -> failed.getKey() + ": " + failed.getValue())
        .toList();
    return section(goals, failures);
  }

  /** Returns the text and the charts since the last section. */
  private Section section(List<Goal> goals, List<String> failures) {
    Section section = new Section(text.toString(), goals, List.copyOf(charts), failures);
    text.setLength(0);
    charts.clear();
    return section;
  }

  private void add(String format, Object... args) {
    text.append(String.format(Locale.ROOT, format, args));
  }

  private void table(Workload workload) {
    List<Contestant> rows = rows(workload);
    List<Shape> shapes = Plan.shapes(workload);
    limitChart(workload, rows, shapes);
    head("", shapes);
    for (Contestant contestant : rows) {
      add("| %s", contestant.name());
      shapes.forEach(shape -> add(" | %s", figure(contestant, workload, shape)));
      add(" |%n");
    }
  }

  private List<Contestant> rows(Workload workload) {
    return entrants.stream()
        .map(Entrant::contestant)
        .filter(c ->
            Plan.shapes(workload).stream().anyMatch(s -> sample(c.name(), workload, s) != null))
        .toList();
  }

  private void head(String first, List<Shape> shapes) {
    add("%n| %s", first);
    shapes.forEach(shape -> add(" | %s", shape));
    add(" |%n|---|%s%n", "---|".repeat(shapes.size()));
  }

  private @Nullable Sample sample(String entrant, Workload workload, Shape shape) {
    return figures.median(new Cell(entrant, workload, shape));
  }

  private String figure(Contestant contestant, Workload workload, Shape shape) {
    Sample sample = sample(contestant.name(), workload, shape);
    if (sample == null) {
      return "";
    }
    Sample limit = sample(contestant.limit(workload), workload, shape);
    StringBuilder said = new StringBuilder(rate(sample.rate()));
    if (limit != null && !contestant.limit(workload).equals(contestant.name())) {
      said.append(String.format(Locale.ROOT, " (%.2f)", sample.rate() / limit.rate()));
    }
    if (sample.median() > 0) {
      said.append(String.format(Locale.ROOT, " %.0f / %.0f", sample.median(), sample.tail()));
    }
    return said.toString();
  }

  /** Returns the rate with three digits: 11.9K, 1.26M. */
  static String rate(double value) {
    String unit = value < 1e3 ? "" : value < 1e6 ? "K" : "M";
    double scaled = value < 1e3 ? value : value < 1e6 ? value / 1e3 : value / 1e6;
    String format = scaled < 10 ? "%.2f%s" : scaled < 100 ? "%.1f%s" : "%.0f%s";
    return String.format(Locale.ROOT, format, scaled, unit);
  }

  /** Adds the ratio of {@link #US} to each peer. */
  private void peers(Workload workload) {
    List<Shape> shapes = Plan.shapes(workload);
    List<Contestant> peers = rows(workload).stream().filter(RaceReport::isPeer).toList();
    if (peers.isEmpty() || shapes.stream().allMatch(s -> sample(US, workload, s) == null)) {
      return;
    }
    peerChart(workload, peers, shapes);
    head(US + ", times as fast", shapes);
    for (Contestant peer : peers) {
      add("| as %s", peer.name());
      shapes.forEach(shape -> add(" | %s", times(peer, workload, shape)));
      add(" |%n");
    }
  }

  private String times(Contestant peer, Workload workload, Shape shape) {
    Sample ours = sample(US, workload, shape);
    Sample theirs = sample(peer.name(), workload, shape);
    return ours == null || theirs == null
        ? ""
        : String.format(Locale.ROOT, "%.1f", ours.rate() / theirs.rate());
  }

  static boolean isPeer(Contestant contestant) {
    return !contestant.name().startsWith("raw-") && !contestant.name().startsWith("repartee");
  }

  /** Adds a chart of the ratios to the limit. */
  private void limitChart(Workload workload, List<Contestant> rows, List<Shape> shapes) {
    List<Chart.Group> groups = new ArrayList<>();
    for (Shape shape : shapes) {
      List<Chart.Bar> bars = new ArrayList<>();
      for (Contestant contestant : rows) {
        Sample sample = sample(contestant.name(), workload, shape);
        Sample limit = sample(contestant.limit(), workload, shape);
        boolean ownLimit = contestant.limit().equals(contestant.name());
        if (sample != null && limit != null && !ownLimit && !isPeer(contestant)) {
          bars.add(bar(contestant, sample.rate() / limit.rate()));
        }
      }
      group(groups, shape, bars);
    }
    chart(
        "limit-" + workload.label(),
        workload.label() + ": calls a second, relative to the raw echo",
        groups);
  }

  /** Adds a chart of the peers, relative to {@link #US}. */
  private void peerChart(Workload workload, List<Contestant> peers, List<Shape> shapes) {
    List<Chart.Group> groups = new ArrayList<>();
    for (Shape shape : shapes) {
      List<Chart.Bar> bars = new ArrayList<>();
      Sample ours = sample(US, workload, shape);
      for (Contestant peer : peers) {
        Sample theirs = sample(peer.name(), workload, shape);
        if (ours != null && theirs != null) {
          bars.add(bar(peer, theirs.rate() / ours.rate()));
        }
      }
      group(groups, shape, bars);
    }
    chart(
        "peers-" + workload.label(),
        workload.label() + ": calls a second of the peers, relative to " + US,
        groups);
  }

  private static Chart.Bar bar(Contestant contestant, double ratio) {
    return new Chart.Bar(
        contestant.name(),
        ratio,
        String.format(Locale.ROOT, ratio < 0.1 ? "%.3f" : "%.2f", ratio),
        Chart.Bar.owner(contestant.name()));
  }

  private static void group(List<Chart.Group> groups, Shape shape, List<Chart.Bar> bars) {
    if (!bars.isEmpty()) {
      groups.add(new Chart.Group(shape.toString(), bars));
    }
  }

  private void chart(String name, String title, List<Chart.Group> groups) {
    if (!groups.isEmpty()) {
      charts.add(new Chart(name, title, 1, groups));
    }
  }

  /** Adds the server's CPU time, where it was measured. */
  private void costs(Workload workload) {
    List<Shape> shapes = Plan.shapes(workload);
    List<Contestant> rows = rows(workload).stream()
        .filter(c -> shapes.stream().anyMatch(s -> !cost(c, workload, s).isEmpty()))
        .toList();
    if (rows.isEmpty()) {
      return;
    }
    head("CPU time of the server for a call, µs", shapes);
    for (Contestant contestant : rows) {
      add("| %s", contestant.name());
      shapes.forEach(shape -> add(" | %s", cost(contestant, workload, shape)));
      add(" |%n");
    }
  }

  private String cost(Contestant contestant, Workload workload, Shape shape) {
    Sample sample = sample(contestant.name(), workload, shape);
    return sample == null || sample.cpu() == 0
        ? ""
        : String.format(Locale.ROOT, sample.cpu() < 10 ? "%.2f" : "%.1f", sample.cpu());
  }

  private void contestants() {
    add("### Contestants%n%n");
    Set<Cell> cells = figures.cells();
    for (Entrant entrant : entrants) {
      if (cells.stream().anyMatch(cell -> cell.entrant().equals(entrant.name()))) {
        add("- `%s`: %s%n", entrant.name(), entrant.contestant().about());
      } else if (entrant.lacks() != null) {
        add("- `%s`: left out, since this is missing: %s%n", entrant.name(), entrant.lacks());
      }
    }
  }
}
