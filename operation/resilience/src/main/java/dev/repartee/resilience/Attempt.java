package dev.repartee.resilience;

import dev.repartee.Call;
import dev.repartee.Handler;
import dev.repartee.internal.ThreadContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Makes a call, possibly several times. */
@FunctionalInterface
interface Attempt {
  /** Starts the call. Never throws. Cancelling the future ends this attempt. */
  CompletableFuture<@Nullable Object> start();

  /** Returns the innermost attempt. It continues the trace of this thread. */
  static Attempt of(Call call, Handler next) {
    ThreadContext context = ThreadContext.current(); // later attempts start on other threads
    return () -> context.call(() -> start(call, next));
  }

  private static CompletableFuture<@Nullable Object> start(Call call, Handler next) {
    try {
      return future(next.handle(call));
    } catch (Throwable e) { // an Error, too: the steps have counted the call
      return CompletableFuture.<@Nullable Object>failedFuture(e);
    }
  }

  /** Returns the future of a value that a handler has returned. */
  @SuppressWarnings("unchecked") // the layers treat all results alike
  static CompletableFuture<@Nullable Object> future(@Nullable Object outcome) {
    return outcome instanceof CompletionStage<?> stage
        ? (CompletableFuture<@Nullable Object>) stage.toCompletableFuture()
        : CompletableFuture.completedFuture(outcome);
  }
}
