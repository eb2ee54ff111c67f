package dev.repartee.benchmarks.agents;

import dev.repartee.benchmarks.load.VirtualThreads;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/**
 * The limit: the same tasks as futures, each on a virtual thread (a pooled one before JDK 21),
 * without plans, limits or an account of the steps.
 */
final class ChainedFutures implements Runs {
  private final Executor threads = threads();
  private final Work work;

  ChainedFutures(Work work) {
    this.work = work;
  }

  @Override
  public CompletableFuture<Integer> start(int input) {
    CompletableFuture<Integer> a = CompletableFuture.supplyAsync(() -> next(input), threads);
    CompletableFuture<Integer> b = a.thenApplyAsync(this::next, threads);
    CompletableFuture<Integer> c = a.thenApplyAsync(this::next, threads);
    return b.thenCombine(c, (left, right) -> left)
        .thenApplyAsync(this::next, threads)
        .thenApplyAsync(this::next, threads);
  }

  private int next(int number) {
    try {
      return work.next(number);
    } catch (InterruptedException e) {
      throw new CompletionException(e);
    }
  }

  private static Executor threads() {
    try {
      return VirtualThreads.executor();
    } catch (ReflectiveOperationException e) {
      return Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "futures");
        thread.setDaemon(true);
        return thread;
      });
    }
  }
}
