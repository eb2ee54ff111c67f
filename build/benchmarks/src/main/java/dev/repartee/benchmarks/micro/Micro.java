package dev.repartee.benchmarks.micro;

import dev.repartee.benchmarks.process.Jvm;
import dev.repartee.benchmarks.report.Chart;
import dev.repartee.benchmarks.report.Goal;
import dev.repartee.benchmarks.report.Section;
import dev.repartee.benchmarks.report.Text;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/** Measures time and allocation of calls without a transport, with JMH. */
public final class Micro {
  private static final String US = "repartee";

  private Micro() {}

  /** Runs all benchmarks, in about five minutes. */
  public static Section run(Jvm jvm, Path log) {
    try {
      Collection<RunResult> results = new Runner(new OptionsBuilder()
              .include("^" + Micro.class.getPackageName() + "\\.[A-Za-z]+Benchmark\\.")
              .addProfiler(GCProfiler.class)
              .jvm(jvm.java())
              .jvmArgs("-Xmx512m")
              .jvmArgsAppend(ReadingThreads.jvmArgs())
              .output(log.toString())
              .build())
          .run();
      return section(results);
    } catch (RunnerException e) {
      throw new IllegalStateException("JMH failed, see " + log, e);
    }
  }

  private static Section section(Collection<RunResult> results) {
    Map<String, List<RunResult>> themes = results.stream()
        .collect(Collectors.groupingBy(Micro::theme, TreeMap::new, Collectors.toList()));
    StringBuilder text = new StringBuilder(
        "## Codec and its parts\n\nMeasured with JMH, without a transport. `codec` and "
            + "`binding` measure a call from the bytes of the request to the bytes of the "
            + "answer.\n");
    themes.forEach((theme, of) -> text.append(table(theme, of)));
    return codec(text.toString(), themes.getOrDefault("codec", List.of()));
  }

  /** Returns the theme of a result: {@code codec} for {@code CodecBenchmark.repartee}. */
  private static String theme(RunResult run) {
    String[] names = run.getParams().getBenchmark().split("\\.");
    return names[names.length - 2].replace("Benchmark", "").toLowerCase(Locale.ROOT);
  }

  private static String table(String theme, List<RunResult> results) {
    StringBuilder text =
        new StringBuilder("\n| " + theme + " | | ns | bytes allocated |\n|---|---|---|---|\n");
    results.forEach(result -> text.append(row(result)));
    return text.toString();
  }

  private static Section codec(String text, List<RunResult> results) {
    List<Chart.Bar> bars = new ArrayList<>();
    Map<String, Double> times = new HashMap<>();
    for (RunResult result : results) {
      Result<?> time = result.getPrimaryResult();
      String label = time.getLabel();
      times.put(label, time.getScore());
      bars.add(new Chart.Bar(
          label,
          time.getScore(),
          Text.of("%.0f", time.getScore()),
          label.equals(US) ? Chart.Of.US : Chart.Of.PEER));
    }
    Chart chart = Chart.of("codec", "codec: nanoseconds for a call", bars);
    return new Section(text, goals(results, times), List.of(chart), List.of());
  }

  private static List<Goal> goals(Collection<RunResult> results, Map<String, Double> times) {
    List<Goal> goals = new ArrayList<>();
    goals.add(faster(times, "jacksonTree", 10));
    goals.add(faster(times, "jacksonStreaming", 7));
    goals.add(faster(times, "fastjson", 3));
    for (RunResult result : results) {
      if (result.getPrimaryResult().getLabel().equals(US)) {
        // The allocation of JMH itself is a small fraction of a byte for each call.
        goals.add(new Goal(
            "codec: allocation of a call",
            "JMH",
            Goal.Bound.atMost(0, "bytes"),
            Math.rint(bytes(result).getScore()),
            "",
            ""));
      }
    }
    return goals;
  }

  private static Goal faster(Map<String, Double> times, String other, double atLeast) {
    double ratio = Objects.requireNonNull(times.get(other)) / Objects.requireNonNull(times.get(US));
    return new Goal(
        "codec: times as fast as " + other,
        "JMH",
        Goal.Bound.atLeast(atLeast),
        ratio,
        "",
        "Half of the time is the strict scan of 86 bytes with numbers of random length."
            + " For the attempts see 32 connections, 16 in flight.");
  }

  private static Result<?> bytes(RunResult run) {
    return Objects.requireNonNull(run.getSecondaryResults().get("gc.alloc.rate.norm"));
  }

  private static String row(RunResult run) {
    BenchmarkParams params = run.getParams();
    String values =
        params.getParamsKeys().stream().map(params::getParam).collect(Collectors.joining(", "));
    Result<?> time = run.getPrimaryResult();
    Result<?> bytes = bytes(run);
    return Text.of(
        "| %s | %s | %.1f ± %.1f | %.0f |%n",
        time.getLabel(), values, time.getScore(), time.getScoreError(), bytes.getScore());
  }
}
