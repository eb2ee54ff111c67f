package dev.repartee.benchmarks;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The report: a page in Markdown, and the charts that it shows.
 *
 * @param machine where it was measured, in words
 * @param runs on one JDK each: the first is shown in full, of the others what they say of the goals
 */
record Page(String machine, List<Run> runs) {
  /**
   * What was measured on one JDK.
   *
   * @param jdk its version, as a column is headed
   */
  record Run(String jdk, List<Section> sections) {
    List<Goal> goals() {
      return sections.stream().flatMap(section -> section.goals().stream()).toList();
    }

    List<String> failures() {
      return sections.stream().flatMap(section -> section.failures().stream()).toList();
    }
  }

  /** The page, whose charts lie in that folder beside it. */
  String text(String folder) {
    StringBuilder text = new StringBuilder();
    add(text, "# Benchmarks%n%n%s.%n", machine);
    add(text, "%nHow this is measured stands in the README of `benchmarks`, which writes it.%n");
    goals(text);
    missed(text);
    for (Section section : runs.get(0).sections()) {
      add(text, "%n%s", section.text());
      for (Chart chart : section.charts()) {
        add(text, "%n![%s](%s/%s.svg)%n", chart.title(), folder, chart.name());
      }
    }
    failures(text);
    return text.toString();
  }

  private static void add(StringBuilder text, String format, Object... args) {
    text.append(String.format(Locale.ROOT, format, args));
  }

  private void goals(StringBuilder text) {
    List<Goal> goals = runs.get(0).goals();
    if (goals.isEmpty()) {
      return;
    }
    add(text, "%n## Goals%n%n| | figure | goal |");
    runs.forEach(run -> add(text, " JDK %s | |", run.jdk()));
    add(text, " beside |%n|---|---|---|%s---|%n", "---|---|".repeat(runs.size()));
    for (Goal goal : goals) {
      add(text, "| %s | %s | %s |", goal.text(), goal.figure(), goal.bound());
      for (Run run : runs) {
        add(
            text,
            " %s |",
            same(goal, run).map(g -> g.said() + " | " + verdict(g)).findFirst().orElse(" |"));
      }
      add(text, " %s |%n", goal.beside());
    }
  }

  private static Stream<Goal> same(Goal goal, Run run) {
    return run.goals().stream()
        .filter(g -> g.text().equals(goal.text()) && g.figure().equals(goal.figure()));
  }

  private static String verdict(Goal goal) {
    return goal.isReached() ? "yes" : "**no**";
  }

  private void missed(StringBuilder text) {
    List<Goal> missed = runs.get(0).goals().stream().filter(g -> !g.isReached()).toList();
    if (missed.isEmpty()) {
      return;
    }
    add(text, "%n### What is not reached, and what was tried%n%n");
    for (Goal goal : missed) {
      String tried = goal.tried().isEmpty() ? "Nothing is known of it yet." : goal.tried();
      add(text, "- %s: %s, not %s. %s%n", goal.text(), goal.said(), goal.bound(), tried);
    }
  }

  private void failures(StringBuilder text) {
    List<String> failures =
        runs.stream().flatMap(run -> run.failures().stream()).toList();
    if (!failures.isEmpty()) {
      add(text, "%n## What failed%n%n");
      failures.forEach(failure -> add(text, "- %s%n", failure));
    }
  }

  /** Writes the page to that file, and its charts, in the place of others, to a folder named like it. */
  void write(Path file) throws IOException {
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
        Files.writeString(charts.resolve(chart.name() + ".svg"), chart.svg());
      }
    }
    Files.writeString(file, text(folder));
  }
}
