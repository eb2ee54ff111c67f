package dev.repartee.benchmarks;

import java.nio.file.Path;
import java.util.Collection;
import java.util.Locale;
import java.util.Objects;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/** What JMH measures: the time and the allocation of one call without a transport. */
final class Micro {
  private Micro() {}

  /** Runs all of it, about a minute, and answers a table. */
  static String run(Jvm jvm, Path log) {
    try {
      Collection<RunResult> results = new Runner(new OptionsBuilder()
              .include(CodecBenchmark.class.getName())
              .addProfiler(GCProfiler.class)
              .jvm(jvm.java())
              .jvmArgs("-Xmx512m")
              .output(log.toString())
              .build())
          .run();
      StringBuilder table =
          new StringBuilder("| codec | ns a call | bytes allocated |\n|---|---|---|\n");
      results.forEach(result -> table.append(row(result)));
      return table.toString();
    } catch (RunnerException e) {
      throw new IllegalStateException("JMH failed, see " + log, e);
    }
  }

  private static String row(RunResult run) {
    Result<?> time = run.getPrimaryResult();
    Result<?> bytes = Objects.requireNonNull(run.getSecondaryResults().get("gc.alloc.rate.norm"));
    return String.format(
        Locale.ROOT,
        "| %s | %.1f ± %.1f | %.0f |%n",
        time.getLabel(),
        time.getScore(),
        time.getScoreError(),
        bytes.getScore());
  }
}
