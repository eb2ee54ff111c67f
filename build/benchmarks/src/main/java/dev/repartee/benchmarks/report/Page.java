package dev.repartee.benchmarks.report;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The report: a page in Markdown, and its charts.
 *
 * @param machine a description of the machine
 * @param runs the first run is shown in full, the others only with their goals: a second run on the
 *     same JDK, which shows the noise, or a run on another JDK
 */
public record Page(String machine, List<Run> runs) {
  /**
   * The results on one JDK.
   *
   * @param jdk its version, for the heading of a column
   */
  public record Run(String jdk, List<Section> sections) {
    List<Goal> goals() {
      return sections.stream().flatMap(section -> section.goals().stream()).toList();
    }

    public List<String> failures() {
      return sections.stream().flatMap(section -> section.failures().stream()).toList();
    }
  }

  /** Returns the page; it refers to its charts in {@code folder}. */
  public String text(String folder) {
    Text text = new Text();
    text.add("# Benchmarks%n%n%s.%n", machine);
    text.add("%nThe module `benchmarks` writes this page; its README describes the method.%n");
    for (Section section : runs.get(0).sections()) {
      text.add("%n%s", section.text());
      for (Chart chart : section.charts()) {
        text.add("%n![%s](%s)%n", chart.title(), file(Path.of(folder), chart));
      }
    }
    failures(text);
    goals(text);
    noise(text);
    missed(text);
    return text.toString();
  }

  private void goals(Text text) {
    List<Goal> goals = runs.get(0).goals();
    if (goals.isEmpty()) {
      return;
    }
    text.add("""

        ## Appendix: goals of the project

        The project measures itself by these goals, and misses many of them. A raw echo (`raw-...`) always sends the
        same answer and does nothing else.

        | | figure | goal |""");
    for (Run run : runs) {
      text.add(" JDK %s%s | |", run.jdk(), repeats().anyMatch(r -> r == run) ? " again" : "");
    }
    text.add(" beside |%n|---|---|---|%s---|%n", "---|---|".repeat(runs.size()));
    for (Goal goal : goals) {
      text.add("| %s | %s | %s |", goal.text(), goal.figure(), goal.bound());
      for (Run run : runs) {
        text.add(
            " %s |",
            same(goal, run).map(g -> g.said() + " | " + verdict(g)).findFirst().orElse(" |"));
      }
      text.add(" %s |%n", goal.beside());
    }
  }

  private static Stream<Goal> same(Goal goal, Run run) {
    return run.goals().stream()
        .filter(g -> g.text().equals(goal.text()) && g.figure().equals(goal.figure()));
  }

  private static String verdict(Goal goal) {
    return goal.isReached() ? "yes" : "**no**";
  }

  /** Returns the runs after the first on the same JDK. */
  private Stream<Run> repeats() {
    return runs.stream().skip(1).filter(run -> run.jdk().equals(runs.get(0).jdk()));
  }

  /** Adds the noise: the difference of figures that were measured twice. */
  private void noise(Text text) {
    Map<String, Double> apart = new LinkedHashMap<>();
    for (Goal goal : runs.get(0).goals()) {
      repeats()
          .flatMap(run -> same(goal, run))
          .filter(again -> goal.measured() != 0)
          .mapToDouble(again -> Math.abs(again.measured() / goal.measured() - 1))
          .forEach(distance -> apart.merge(goal.text(), distance, Math::max));
    }
    if (apart.isEmpty()) {
      return;
    }
    Map.Entry<String, Double> farthest =
        Collections.max(apart.entrySet(), Map.Entry.comparingByValue());
    text.add(
        "%nThe same figures were measured twice, in new processes: half of them lie less than %.1f %% apart,%n"
            + "nine of ten less than **%.1f %%**. This is the noise of this page. The largest difference "
            + "(%s) is %.1f %%.%n",
        100 * Statistics.quantile(apart.values().stream().mapToDouble(d -> d), 0.5),
        100 * Statistics.quantile(apart.values().stream().mapToDouble(d -> d), 0.9),
        farthest.getKey(),
        100 * farthest.getValue());
  }

  private void missed(Text text) {
    List<Goal> missed = runs.get(0).goals().stream().filter(g -> !g.isReached()).toList();
    if (missed.isEmpty()) {
      return;
    }
    text.add("%n### Missed goals, and the attempts%n%n");
    for (Goal goal : missed) {
      String tried = goal.tried().isEmpty() ? "The cause is not known yet." : goal.tried();
      text.add("- %s: %s, not %s. %s%n", goal.text(), goal.said(), goal.bound(), tried);
    }
  }

  private void failures(Text text) {
    List<String> failures =
        runs.stream().flatMap(run -> run.failures().stream()).toList();
    if (!failures.isEmpty()) {
      text.add("%n## Failures%n%n");
      failures.forEach(failure -> text.add("- %s%n", failure));
    }
  }

  private static Path file(Path folder, Chart chart) {
    return folder.resolve(chart.name() + ".svg").normalize();
  }

  /** Writes the page to {@code file}, and replaces the charts in the folder of the same name. */
  public void write(Path file) throws IOException {
    String name = file.getFileName().toString();
    String folder = name.endsWith(".md") ? name.substring(0, name.length() - 3) : name + "-charts";
    Path charts = Files.createDirectories(file.toAbsolutePath().resolveSibling(folder));
    try (DirectoryStream<Path> old = Files.newDirectoryStream(charts, "*.svg")) {
      for (Path chart : old) {
        Files.delete(chart);
      }
    }
    for (Section section : runs.get(0).sections()) {
      for (Chart chart : section.charts()) {
        Path image = file(charts, chart);
        Files.createDirectories(image.getParent());
        Files.writeString(image, chart.svg());
      }
    }
    Files.writeString(file, text(folder));
  }
}
