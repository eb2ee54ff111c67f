package dev.repartee;

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
 * The answer to a call, once it is there.
 *
 * <p>It fails with {@link RpcException} where the other side answered an error, {@link
 * CallTimeoutException} where no answer came in time, {@link DisconnectedException} where the
 * connection ended, {@link ProtocolException} or {@link JsonException} where the answer is not what
 * it should be.
 *
 * <p>Ending it before the answer is there gives the call up: the call no longer counts as pending, and
 * the other side is told to cancel it. That holds for {@link #cancel}, {@link #orTimeout}, {@link
 * #completeOnTimeout}, {@link #complete}, {@link #completeExceptionally} and everything else that
 * completes it, and also for a future derived from it, by {@link #thenApply} for example; the call's own
 * future is then cancelled. To share the result with code that must not end the call, hand out {@link
 * #minimalCompletionStage}. A future derived by {@link #thenCompose} gives up this call only, not a call
 * that the function makes.
 *
 * <p>It is completed by the thread that reads the connection, so what depends on it without an
 * executor of its own runs there and must not block; or by the one that watches the time. Waiting on
 * either would wait for ever, and throws {@link IllegalStateException} instead. A wait for a future of
 * {@link CompletableFuture#allOf} or {@link CompletableFuture#anyOf} is not detected, because the JDK
 * does not let this class make it: there, such a wait stops the thread until the call's time is over.
 *
 * @param <T> the type of the result
 */
public final class CallFuture<T extends @Nullable Object> extends CompletableFuture<T> {
  private final String method;

  /**
   * Gives the call up and cancels the call's own future; does nothing where the call is over. The
   * derived futures share it and do not refer to each other: a chain that grows for ever, such as a
   * queue made of {@code tail = tail.thenCompose(...)}, keeps no future between the first and the last.
   */
  private final Runnable giveUp;

  /** What a thread does that waits, before it sleeps; null for nothing. */
  private final @Nullable Spin spin;

  CallFuture(String method, Runnable giveUp, @Nullable Spin spin) {
    this.method = method;
    this.giveUp = giveUp;
    this.spin = spin;
  }

  /**
   * Waits for the result. A failure that was made by another thread shows in its suppressed exceptions
   * where it was first waited for.
   *
   * @throws RpcException and the others named above, as they are
   * @throws CancellationException if the call was cancelled, or the waiting thread interrupted: then
   *     the call is given up, and the thread stays interrupted
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

  /** Where a failed call was made, since its exception was made by the thread that reads. */
  private static final class CalledFrom extends Exception {
    private static final long serialVersionUID = 1;

    private CalledFrom(String method) {
      super("the call of '" + method + "'");
    }

    /**
     * Adds the caller's stack trace to a failure, once: any number of calls may fail with the same
     * exception, and each may be waited for again and again. Its monitor is the one that {@link
     * Throwable#addSuppressed} uses.
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

  /** Completes this for the engine, which has taken the call out of its table before. */
  void succeed(@Nullable T result) {
    super.complete(result);
  }

  /** Completes this for the engine, which has taken the call out of its table before. */
  void fail(Throwable cause) {
    super.completeExceptionally(cause);
  }

  /** Cancels this for the engine, which has given the call up before. */
  void cancelled() {
    super.cancel(false);
  }

  private boolean givenUpIf(boolean ended) {
    if (ended) {
      giveUp.run();
    }
    return ended;
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    return givenUpIf(super.cancel(mayInterruptIfRunning));
  }

  /** Also called by the JDK when the time of {@link #completeOnTimeout} is over. */
  @Override
  public boolean complete(T value) {
    return givenUpIf(super.complete(value));
  }

  /** Also called by the JDK when the time of {@link #orTimeout} is over. */
  @Override
  public boolean completeExceptionally(Throwable failure) {
    return givenUpIf(super.completeExceptionally(failure));
  }

  /** Replaces that of the JDK, which calls neither of the two above. */
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

  /** Derived futures give the call up too: nobody else may be waiting for it. */
  @Override
  public <U> CompletableFuture<U> newIncompleteFuture() {
    return new CallFuture<>(method, giveUp, spin);
  }

  @Override
  public T get() throws InterruptedException, ExecutionException {
    beforeWaiting(Spin.NANOS);
    return super.get();
  }

  @Override
  public T get(long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    beforeWaiting(unit.toNanos(timeout));
    return super.get(timeout, unit);
  }

  @Override
  public T join() {
    beforeWaiting(Spin.NANOS);
    return super.join();
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
