package dev.repartee.benchmarks.agents;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.benchmarks.process.MemoryUse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

/**
 * The process of one contestant: {@code RunsMain CONTESTANT}. Answers each line of its input, and
 * ends with it. Every output of a run is checked.
 */
final class RunsMain {
  private static final int PATIENCE_SECONDS = 50;

  private RunsMain() {}

  public static void main(String[] args) throws Exception {
    Contestant contestant = Contestant.valueOf(args[0]);
    System.out.println("ready");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ");
      int runs = Integer.parseInt(words[1]);
      System.out.println(
          words[0].equals("rate")
              ? rate(contestant, runs, Duration.ofMillis(Long.parseLong(words[2])))
              : bytes(contestant, runs));
    }
    System.exit(0);
  }

  /** Returns the steps a second of that many runs at the same time, started again and again. */
  static double rate(Contestant contestant, int concurrent, Duration time) throws Exception {
    try (Runs runs = contestant.start(number -> number + 1)) {
      long steps = 0;
      long began = System.nanoTime();
      do {
        check(start(runs, concurrent));
        steps += (long) concurrent * Runs.STEPS;
      } while (System.nanoTime() - began < time.toNanos());
      return steps * 1e9 / (System.nanoTime() - began);
    }
  }

  /** Returns the heap of a run that waits in its fourth step. */
  static double bytes(Contestant contestant, int concurrent) throws Exception {
    CountDownLatch waiting = new CountDownLatch(concurrent);
    CountDownLatch released = new CountDownLatch(1);
    Runs.Work fourthWaits = number -> {
      if (number % STRIDE == FOURTH) {
        waiting.countDown();
        released.await();
      }
      return number + 1;
    };
    try (Runs runs = contestant.start(fourthWaits)) {
      long before = MemoryUse.now().heap();
      List<CompletableFuture<Integer>> outputs = start(runs, concurrent);
      if (!waiting.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException(waiting.getCount() + " of " + concurrent + " runs do not go on");
      }
      long heap = MemoryUse.now().heap() - before;
      released.countDown();
      check(outputs);
      return (double) heap / concurrent;
    }
  }

  /** The difference between the inputs of two runs; larger than any task adds. */
  private static final int STRIDE = 10;

  /** The last digit of the number that the fourth task gets. */
  private static final int FOURTH = 2;

  private static List<CompletableFuture<Integer>> start(Runs runs, int concurrent) {
    return IntStream.range(0, concurrent)
        .mapToObj(run -> runs.start(run * STRIDE))
        .toList();
  }

  private static void check(List<CompletableFuture<Integer>> outputs)
      throws IOException, ExecutionException, InterruptedException, TimeoutException {
    for (int run = 0; run < outputs.size(); run++) {
      int output = outputs.get(run).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (output != run * STRIDE + Runs.ADDED) {
        throw new IOException("the run " + run + " has the output " + output);
      }
    }
  }
}
