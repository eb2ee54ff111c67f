package dev.repartee.benchmarks.agents;

import dev.repartee.benchmarks.load.Sample;
import dev.repartee.benchmarks.process.MemoryUse;
import dev.repartee.benchmarks.process.Replies;
import java.io.IOException;
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

  public static void main(String[] args) {
    Runs.Kind kind = Runs.Kind.valueOf(args[0]);
    Replies.serve(words -> {
      int runs = Integer.parseInt(words[1]);
      return words[0].equals("rate")
          ? new Sample(rate(kind, runs, Duration.ofMillis(Long.parseLong(words[2]))), 0, 0).line()
          : Double.toString(bytes(kind, runs));
    });
  }

  /** Returns the steps a second of that many runs at the same time, started again and again. */
  static double rate(Runs.Kind kind, int concurrent, Duration time) throws Exception {
    try (Runs runs = kind.start.apply(number -> number + 1)) {
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
  static double bytes(Runs.Kind kind, int concurrent) throws Exception {
    CountDownLatch waiting = new CountDownLatch(concurrent);
    CountDownLatch released = new CountDownLatch(1);
    Runs.Work fourthWaits = number -> {
      if (number % STRIDE == FOURTH) {
        waiting.countDown();
        released.await();
      }
      return number + 1;
    };
    try (Runs runs = kind.start.apply(fourthWaits)) {
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

  /** The last digit of the number that is the input of the fourth task. */
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
