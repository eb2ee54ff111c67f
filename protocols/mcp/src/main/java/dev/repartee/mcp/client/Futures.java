package dev.repartee.mcp.client;

import dev.repartee.CallTimeoutException;
import dev.repartee.HttpException;
import dev.repartee.ReparteeException;
import dev.repartee.internal.Threads;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.ReadingThread;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Helpers for the futures of calls, and the threads for steps that may wait. */
final class Futures {
  /**
   * Runs steps that may wait: connecting, and the handlers of input requests. The number of threads
   * is limited only by the number of calls under way.
   */
  static final Executor WORKERS = Threads.growing("repartee-mcp-client");

  private Futures() {}

  /** Returns a future of the converted result. Cancelling it cancels the source. */
  static <A extends @Nullable Object, B extends @Nullable Object> CompletableFuture<B> map(
      CompletableFuture<A> source, Function<A, B> function) {
    return linked(source, source.thenApply(function));
  }

  /** Returns a future of a further step. Cancelling it cancels the source and the step. */
  static <A extends @Nullable Object, B extends @Nullable Object> CompletableFuture<B> compose(
      CompletableFuture<A> source, Function<A, CompletableFuture<B>> function) {
    CompletableFuture<CompletableFuture<B>> step = source.thenApply(function);
    CompletableFuture<B> result = linked(source, step.thenCompose(next -> next));
    step.thenAccept(next -> linked(next, result));
    return result;
  }

  private static <B extends @Nullable Object> CompletableFuture<B> linked(
      CompletableFuture<?> source, CompletableFuture<B> result) {
    result.whenComplete((value, failure) -> {
      if (result.isCancelled()) {
        source.cancel(true);
      }
    });
    return result;
  }

  /** Waits for a future and throws the cause of its failure. */
  static <T extends @Nullable Object> T await(CompletableFuture<T> future, String method) {
    if (!future.isDone() && ReadingThread.isCurrent()) {
      throw new IllegalStateException("waiting for '" + method
          + "' on the thread that has to read its answer; use the future's callbacks");
    }
    try {
      return future.get();
    } catch (InterruptedException e) {
      future.cancel(true);
      Thread.currentThread().interrupt();
      CancellationException cancelled =
          new CancellationException("interrupted while waiting for '" + method + "'");
      cancelled.initCause(e);
      throw cancelled;
    } catch (ExecutionException e) {
      throw failure(cause(e));
    }
  }

  /**
   * Waits for a future up to a limit and then cancels it.
   *
   * @param what the result, for the message of an interruption
   * @param late the message of the {@link CallTimeoutException}
   */
  static <T extends @Nullable Object> T within(
      CompletableFuture<T> future, Duration limit, String what, String late) {
    try {
      return future.get(Math.max(1, limit.toMillis()), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      future.cancel(true);
      throw new CallTimeoutException(late);
    } catch (InterruptedException e) {
      future.cancel(true);
      Thread.currentThread().interrupt();
      throw new CancellationException("interrupted while waiting for " + what);
    } catch (ExecutionException e) {
      throw failure(e);
    }
  }

  /** Returns the cause of a failed wait. */
  static Throwable cause(ExecutionException e) {
    return Objects.requireNonNullElse(e.getCause(), e);
  }

  /**
   * Returns the failure of a call that the server has begun before: the call may have run, also if
   * the server has refused the last request about it.
   */
  static Throwable begun(Throwable failure) {
    return ReparteeException.isUnsent(failure)
        ? new DisconnectedException(String.valueOf(failure.getMessage()), failure)
        : failure;
  }

  /** Returns the exception that users get for a cause; throws an error. */
  static RuntimeException failure(Throwable given) {
    Throwable failure = outcome(given);
    if (failure instanceof Error error) {
      throw error;
    }
    return (RuntimeException) failure;
  }

  /** Returns the exception or error that users get for a cause. */
  static Throwable outcome(Throwable given) {
    Throwable cause = given;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause instanceof HttpException || cause instanceof IOException) {
      String message = String.valueOf(cause.getMessage());
      String reason = cause instanceof HttpException answer ? answer.unsent() : null;
      return reason == null
          ? new DisconnectedException(message, cause)
          : DisconnectedException.unsent(message, reason, cause);
    }
    return cause instanceof RuntimeException || cause instanceof Error
        ? cause
        : new CompletionException(cause);
  }
}
