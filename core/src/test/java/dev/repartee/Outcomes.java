package dev.repartee;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Waits for the outcomes of futures, for 20 seconds at most. */
public final class Outcomes {
  private Outcomes() {}

  /** Returns the result. */
  public static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(60, TimeUnit.SECONDS);
  }

  /** Returns the failure; throws an error if the future succeeds. */
  public static Throwable failure(CompletableFuture<?> future) throws Exception {
    try {
      get(future);
      throw new AssertionError("it has succeeded");
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }
}
