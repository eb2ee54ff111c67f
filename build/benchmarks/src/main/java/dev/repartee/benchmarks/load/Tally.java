package dev.repartee.benchmarks.load;

import dev.repartee.benchmarks.process.Child;
import dev.repartee.benchmarks.process.CpuUse;
import dev.repartee.benchmarks.report.Statistics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The samples of a competitor under one load, and the CPU time of a call in its processes. */
public final class Tally {
  private final List<Sample> samples = new ArrayList<>();
  private final List<List<Double>> cpu = new ArrayList<>();

  /** Requests a sample from a client, and counts the CPU time of the watched processes. */
  public void sample(Child client, String request, Child... watched) throws IOException {
    List<Double> before = seconds(watched);
    long began = System.nanoTime();
    Sample sample = Sample.of(client.ask(request));
    double calls = sample.rate() * (System.nanoTime() - began) / 1e9;
    List<Double> after = seconds(watched);
    samples.add(sample);
    for (int i = 0; i < watched.length && calls > 0; i++) {
      if (i == cpu.size()) {
        cpu.add(new ArrayList<>());
      }
      cpu.get(i).add((after.get(i) - before.get(i)) * 1e6 / calls);
    }
  }

  private static List<Double> seconds(Child... processes) throws IOException {
    List<Double> seconds = new ArrayList<>();
    for (Child process : processes) {
      seconds.add(CpuUse.secondsOf(process.pid()));
    }
    return seconds;
  }

  /** Returns the median of each value of the samples. */
  public Sample median() {
    return Sample.median(samples);
  }

  public double rate() {
    return median().rate();
  }

  /** Returns the median CPU time of a call in a watched process, in microseconds. */
  public double cpu(int process) {
    return process < cpu.size() ? Statistics.median(cpu.get(process)) : 0;
  }
}
