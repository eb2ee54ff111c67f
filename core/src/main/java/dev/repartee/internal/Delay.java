package dev.repartee.internal;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs steps after a time. A step that is cancelled before keeps no memory. */
public final class Delay {
  private Delay() {}

  /**
   * Runs a step after a time, unless the returned future is cancelled before. The step never runs
   * if the time exceeds 292 years.
   */
  public static Future<?> of(Duration time, Executor executor, Runnable step) {
    CompletableFuture<@Nullable Void> timer = new CompletableFuture<>();
    timer.completeOnTimeout(null, TimeUnit.NANOSECONDS.convert(time), TimeUnit.NANOSECONDS);
    timer.thenRunAsync(step, executor);
    return timer;
  }
}
