package dev.repartee.resilience;

import dev.repartee.internal.UserCode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a step. At its end the attempts and timers of the step that still run are
 * cancelled. Cancelling a future that is derived from the outcome cancels the outcome.
 */
final class Ongoing<T extends @Nullable Object> extends CompletableFuture<T> {
  /** The outcome from which this future is derived; null for the outcome. */
  private final @Nullable Ongoing<?> step;

  Ongoing() {
    this(null);
  }

  private Ongoing(@Nullable Ongoing<?> step) {
    this.step = step;
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean ended = super.cancel(mayInterruptIfRunning);
    if (ended && step != null) {
      step.cancel(mayInterruptIfRunning);
    }
    return ended;
  }

  /** Returns a future that cancels this outcome: a layer of others may be between two steps. */
  @Override
  public <U> CompletableFuture<U> newIncompleteFuture() {
    return new Ongoing<>(step == null ? this : step);
  }

  /**
   * Cancels an attempt at the end of this, and runs an action at the end of the attempt. An attempt
   * that has ended is not kept: there may be many, and an error may be large.
   */
  void attempt(CompletableFuture<T> attempt, BiConsumer<T, @Nullable Throwable> action) {
    AtomicReference<@Nullable CompletableFuture<T>> running = new AtomicReference<>(attempt);
    after(attempt, (result, failure) -> {
      running.set(null);
      action.accept(result, failure);
    });
    onEnd(() -> {
      CompletableFuture<T> left = running.get();
      if (left != null) {
        left.cancel(true);
      }
    });
  }

  /** Runs an action when this has completed; immediately if it has completed already. */
  void onEnd(Runnable action) {
    whenComplete((result, failure) -> action.run());
  }

  /**
   * Runs an action at the end of a future. If the action throws, for example in a predicate of the
   * user, this fails with that exception.
   *
   * @param action gets the result and null, or null and the failure without its wrapper
   */
  void after(CompletableFuture<T> future, BiConsumer<T, @Nullable Throwable> action) {
    future.whenComplete((result, failure) -> {
      try {
        action.accept(result, failure == null ? null : UserCode.cause(failure));
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
}
