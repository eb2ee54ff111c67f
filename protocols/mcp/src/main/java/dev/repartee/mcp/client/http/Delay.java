package dev.repartee.mcp.client.http;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs steps after a time. A step that is cancelled before keeps no memory. */
public final class Delay {
  private Delay() {}

  /** Runs a step after a time in nanoseconds, unless the returned future is cancelled before. */
  public static Future<?> of(long nanos, Executor executor, Runnable step) {
    CompletableFuture<@Nullable Void> timer = new CompletableFuture<>();
    timer.completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS);
    timer.thenRunAsync(step, executor);
    return timer;
  }
}
