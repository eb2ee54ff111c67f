package dev.repartee.resilience;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a step. Cancelling it, or a future derived from it, stops the step: the attempts
 * that run are cancelled, and no other is started.
 */
final class Ongoing<T extends @Nullable Object> extends CompletableFuture<T> {
  private final Runnable stop;

  Ongoing(Runnable stop) {
    this.stop = stop;
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean ended = super.cancel(mayInterruptIfRunning);
    if (ended) {
      stop.run();
    }
    return ended;
  }

  /** Returns a future that stops the same step: a layer of others may be between two steps. */
  @Override
  public <U> CompletableFuture<U> newIncompleteFuture() {
    return new Ongoing<>(stop);
  }

  /**
   * Runs an action at the end of an attempt. If it throws, for example in a predicate of the user,
   * this fails with that exception.
   *
   * @param action gets the result and null, or null and the failure without its wrapper
   */
  void after(CompletableFuture<T> attempt, BiConsumer<T, @Nullable Throwable> action) {
    attempt.whenComplete((result, failure) -> {
      try {
        action.accept(result, cause(failure));
      } catch (Throwable e) {
        completeExceptionally(e);
      }
    });
  }

  /** Completes this with the outcome of an attempt. */
  void end(T result, @Nullable Throwable failure) {
    if (failure == null) {
      complete(result);
    } else {
      completeExceptionally(failure);
    }
  }

  private static @Nullable Throwable cause(@Nullable Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }
}
