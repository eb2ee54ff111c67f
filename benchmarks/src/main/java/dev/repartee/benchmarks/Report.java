package dev.repartee.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The figures as Markdown. */
final class Report {
  /** What is held against the peers: both sides of a call are measured of them too. */
  private static final String US = "repartee-pair";

  private final Figures figures;
  private final List<Entrant> entrants;
  private final StringBuilder text = new StringBuilder();

  Report(Figures figures, List<Entrant> entrants) {
    this.figures = figures;
    this.entrants = entrants;
  }

  /** The whole page. */
  String text(String machine) {
    add("# Benchmarks%n%n%s.%n%n", machine);
    add(
        "%s. Samples of one cell lie ±%.1f %% around their median, which is what the tables show.%n",
        figures.slices(), 100 * figures.noise());
    add(
        "%nA figure is calls a second, in brackets the ratio to the raw echo that is the limit; where");
    add(
        " one call is in flight%non each connection, the latency follows: median / 99th percentile in");
    add(" microseconds.%n");
    for (Workload workload : Workload.values()) {
      table(workload);
      peers(workload);
    }
    targets();
    contestants();
    failures();
    return text.toString();
  }

  private void add(String format, Object... args) {
    text.append(String.format(Locale.ROOT, format, args));
  }

  private void table(Workload workload) {
    List<Contestant> rows = rows(workload);
    if (rows.isEmpty()) {
      return;
    }
    List<Shape> shapes = Plan.shapes(workload);
    add("%n## %s%n", workload.label());
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
    Sample limit = sample(contestant.limit(), workload, shape);
    StringBuilder said = new StringBuilder(rate(sample.rate()));
    if (limit != null && !contestant.limit().equals(contestant.name())) {
      said.append(String.format(Locale.ROOT, " (%.2f)", sample.rate() / limit.rate()));
    }
    if (sample.median() > 0) {
      said.append(String.format(Locale.ROOT, " %.0f / %.0f", sample.median(), sample.tail()));
    }
    return said.toString();
  }

  /** Three digits: 11.9K, 1.26M. */
  static String rate(double value) {
    String unit = value < 1e3 ? "" : value < 1e6 ? "K" : "M";
    double scaled = value < 1e3 ? value : value < 1e6 ? value / 1e3 : value / 1e6;
    String format = scaled < 10 ? "%.2f%s" : scaled < 100 ? "%.1f%s" : "%.0f%s";
    return String.format(Locale.ROOT, format, scaled, unit);
  }

  /** How many times as fast it is as each peer. */
  private void peers(Workload workload) {
    List<Shape> shapes = Plan.shapes(workload);
    List<Contestant> peers = rows(workload).stream().filter(Report::isPeer).toList();
    if (peers.isEmpty() || shapes.stream().allMatch(s -> sample(US, workload, s) == null)) {
      return;
    }
    head("times as fast is " + US, shapes);
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

  private void targets() {
    StringBuilder table = new StringBuilder();
    for (Target target : Target.all()) {
      Double reached = target.reached(figures);
      if (reached != null) {
        table.append(String.format(
            Locale.ROOT,
            "| %s | %s | %s | %s | %.2f | %s |%n",
            target.text(),
            target.cell(),
            target.of().entrant(),
            Double.toString(target.atLeast()).replaceFirst("\\.0$", ""),
            reached,
            reached >= target.atLeast() ? "yes" : "**no**"));
      }
    }
    if (table.length() > 0) {
      add("%n## Goals%n%n| | cell | times | at least | measured | reached |%n");
      add("|---|---|---|---|---|---|%n%s", table);
    }
  }

  private void contestants() {
    add("%n## Who is who%n%n");
    Set<Cell> cells = figures.cells();
    for (Entrant entrant : entrants) {
      if (cells.stream().anyMatch(cell -> cell.entrant().equals(entrant.name()))) {
        add("- `%s`: %s%n", entrant.name(), entrant.contestant().about());
      }
    }
  }

  private void failures() {
    if (!figures.failures().isEmpty()) {
      add("%n## What failed%n%n");
      figures.failures().forEach((cell, why) -> add("- %s: %s%n", cell, why));
    }
  }
}
