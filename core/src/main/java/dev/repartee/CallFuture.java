package dev.repartee;

import dev.repartee.internal.Spin;
import dev.repartee.json.JsonException;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.ReadingThread;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The future result of a call.
 *
 * <p>It fails with {@link RpcException} if the peer answered with an error, with {@link
 * CallTimeoutException} if no answer arrived in time, with {@link DisconnectedException} if the
 * connection ended, with {@link ProtocolException} if the answer is not a valid response, and with
 * {@link JsonException} if the result does not have the expected type. {@link ReparteeException} is
 * the base of all these.
 *
 * <p>Completing this future before the answer arrives cancels the call: the call no longer counts
 * as pending, and a cancellation is sent to the peer. This holds for {@link #cancel}, {@link
 * #orTimeout}, {@link #completeOnTimeout}, {@link #complete}, {@link #completeExceptionally} and
 * every other method that completes it. It also holds for a future derived from it, for example by
 * {@link #thenApply}; the future of the call is then cancelled. To share the result with code that
 * must not end the call, pass on {@link #minimalCompletionStage}. A future derived by {@link
 * #thenCompose} cancels only this call, not a call that its function makes.
 *
 * <p>The thread that reads the connection completes this future, or the thread that watches
 * time-outs. Callbacks without an executor run on that thread and must not block. Waiting for a
 * call on such a thread would never end; it throws {@link IllegalStateException} instead. Waiting
 * without a time limit for a call of a {@link Batch} does the same before the batch is sent. A wait
 * for a future of {@link CompletableFuture#allOf} or {@link CompletableFuture#anyOf} is not
 * detected, because the JDK creates these futures itself: there, such a wait stops the thread until
 * the call times out.
 *
 * @param <T> the type of the result
 */
public final class CallFuture<T extends @Nullable Object> extends CompletableFuture<T> {
  /** The call of a future. */
  interface Origin {
    /** Cancels the call and its future; does nothing if the call has ended. */
    void cancelCall();

    /** Returns whether the call belongs to a batch that was not sent. */
    boolean isInUnsentBatch();
  }

  final String method;

  /**
   * The call. All derived futures share this object and do not refer to each other. A chain may
   * grow for ever, such as a queue made of {@code tail = tail.thenCompose(...)}: no future between
   * its ends stays in memory, and cancelling the end of a long chain does not recurse.
   */
  private final Origin origin;

  /** The spinner for a waiting thread; null if the channel is not low-latency. */
  private final @Nullable Spin spin;

  CallFuture(String method, Origin origin, @Nullable Spin spin) {
    this.method = method;
    this.origin = origin;
    this.spin = spin;
  }

  /**
   * Waits for the result and returns it. Unlike {@link #join}, throws the failure itself, without a
   * wrapper. The first wait adds its stack trace to the failure as a suppressed exception.
   *
   * @throws RpcException if the peer answered with an error; likewise the other exceptions named
   *     above
   * @throws CancellationException if the call was cancelled, or if the waiting thread was
   *     interrupted: then the call is cancelled, and the thread stays interrupted
   * @throws IllegalStateException on a thread that reads connections or watches time-outs, or if
   *     the call belongs to a {@link Batch} that was not sent
   */
  public T await() {
    try {
      return get();
    } catch (InterruptedException e) {
      cancel(true);
      Thread.currentThread().interrupt();
      CancellationException cancelled =
          new CancellationException("interrupted while waiting for '" + method + "'");
      cancelled.initCause(e);
      throw cancelled;
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof RuntimeException unchecked) {
        CalledFrom.note(unchecked, method);
        throw unchecked;
      }
      throw new CompletionException(cause);
    }
  }

  /**
   * The stack trace of the code that waits for a failed call. The failure itself was created on the
   * reading thread; its stack trace does not show that code.
   */
  private static final class CalledFrom extends Exception {
    private static final long serialVersionUID = 1;

    private CalledFrom(String method) {
      super("the call of '" + method + "'");
    }

    /**
     * Adds the current stack trace to a failure, but only once: many calls may fail with the same
     * exception, and each may be waited for many times. Locks the failure, as {@link
     * Throwable#addSuppressed} does.
     */
    static void note(Throwable failure, String method) {
      synchronized (failure) {
        for (Throwable suppressed : failure.getSuppressed()) {
          if (suppressed instanceof CalledFrom) {
            return;
          }
        }
        failure.addSuppressed(new CalledFrom(method));
      }
    }
  }

  /** Completes this for the engine, which has removed the call from its table before. */
  void succeed(@Nullable T result) {
    super.complete(result);
  }

  /** Fails this for the engine, which has removed the call from its table before. */
  void fail(Throwable cause) {
    super.completeExceptionally(cause);
  }

  /** Cancels this future, but not the call: for the engine, which ends the call itself. */
  void cancelled() {
    super.cancel(false);
  }

  private boolean givenUpIf(boolean ended) {
    if (ended) {
      origin.cancelCall();
    }
    return ended;
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    return givenUpIf(super.cancel(mayInterruptIfRunning));
  }

  /**
   * Completes this future and cancels the call. The JDK also calls this when the time of {@link
   * #completeOnTimeout} has passed.
   */
  @Override
  public boolean complete(T value) {
    return givenUpIf(super.complete(value));
  }

  /**
   * Fails this future and cancels the call. The JDK also calls this when the time of {@link
   * #orTimeout} has passed.
   */
  @Override
  public boolean completeExceptionally(Throwable failure) {
    return givenUpIf(super.completeExceptionally(failure));
  }

  /**
   * Completes this future with the supplier's value and cancels the call. Overridden because the
   * JDK's implementation completes the future without {@link #complete}.
   */
  @Override
  public CompletableFuture<T> completeAsync(Supplier<? extends T> supplier, Executor executor) {
    supplyAsync(supplier, executor).whenComplete((value, failure) -> {
      if (failure == null) {
        complete(value);
      } else {
        completeExceptionally(failure);
      }
    });
    return this;
  }

  @Override
  public void obtrudeValue(T value) {
    boolean ended = !isDone();
    super.obtrudeValue(value);
    givenUpIf(ended);
  }

  @Override
  public void obtrudeException(Throwable failure) {
    boolean ended = !isDone();
    super.obtrudeException(failure);
    givenUpIf(ended);
  }

  /** Returns a future that cancels the same call when it is completed early. */
  @Override
  public <U> CompletableFuture<U> newIncompleteFuture() {
    return new CallFuture<>(method, origin, spin);
  }

  @Override
  public T get() throws InterruptedException, ExecutionException {
    requireSent();
    beforeWaiting(Spin.NANOS);
    return super.get();
  }

  @Override
  public T get(long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    beforeWaiting(unit.toNanos(timeout));
    try {
      return super.get(timeout, unit);
    } catch (TimeoutException e) {
      if (origin.isInUnsentBatch()) {
        throw new TimeoutException(unsent());
      }
      throw e;
    }
  }

  @Override
  public T join() {
    requireSent();
    beforeWaiting(Spin.NANOS);
    return super.join();
  }

  private void requireSent() {
    if (origin.isInUnsentBatch() && !isDone()) {
      throw new IllegalStateException(unsent());
    }
  }

  private String unsent() {
    return "waiting for '" + method
        + "', but the batch of this call has not been sent; call send() first";
  }

  private void beforeWaiting(long nanos) {
    if (isDone()) {
      return;
    }
    if (ReadingThread.isCurrent()) {
      throw new IllegalStateException("waiting for '"
          + method
          + "' on the thread that has to read its answer or to watch its time; use the future's"
          + " callbacks, or leave the inline lane");
    }
    if (spin != null && nanos >= Spin.NANOS) {
      spin.finds(this::isDone);
    }
  }
}
