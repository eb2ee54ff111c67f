package dev.repartee.acp;

import dev.repartee.CallFuture;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The cancellation of a turn. Thread-safe. */
final class TurnState {
  private final CompletableFuture<@Nullable Void> cancelled = new CompletableFuture<>();

  void cancel() {
    cancelled.complete(null);
  }

  boolean isCancelled() {
    return cancelled.isDone();
  }

  void throwIfCancelled() {
    if (isCancelled()) {
      throw new TurnCancelledException();
    }
  }

  void onCancel(Runnable action) {
    cancelled.thenRun(action);
  }

  void sleep(Duration time) throws InterruptedException {
    try {
      cancelled.get(time.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e); // the future never fails
    }
    throw new TurnCancelledException();
  }

  /**
   * Waits for an answer of the client, until the turn is cancelled.
   *
   * @throws TurnCancelledException if the turn is cancelled before the answer
   */
  <T> T await(CallFuture<T> call) {
    try {
      // Use anyOf(): it removes its callback from `cancelled`, which outlives this call. A callback
      // added here for each call would leak.
      CompletableFuture.anyOf(call, cancelled).join();
    } catch (CompletionException e) {
      return call.await(); // throws the failure in its own type
    }
    if (isCancelled() && !call.isDone()) {
      throw new TurnCancelledException();
    }
    return call.await();
  }
}
