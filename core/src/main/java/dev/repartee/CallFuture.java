package dev.repartee;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a call, once it is there.
 *
 * <p>It fails with {@link RpcException} where the other side answered an error, {@link
 * CallTimeoutException} where no answer came in time, {@link DisconnectedException} where the
 * connection ended, {@link ProtocolException} or {@link JsonException} where the answer is not what
 * it should be. Cancelling it, or anything derived from it, tells the other side.
 *
 * <p>It is completed by the thread that reads the connection, so what depends on it without an
 * executor of its own runs there and must not block; or by the one that watches the time. Waiting on
 * either would wait for ever, and throws {@link IllegalStateException} instead.
 *
 * @param <T> the type of the result
 */
public final class CallFuture<T extends @Nullable Object> extends CompletableFuture<T> {
  private final String method;

  /** What to do when this, or anything derived from it, is cancelled. */
  private final Runnable onCancel;

  /** What a thread does that waits, before it sleeps; null for nothing. */
  private final @Nullable Spin spin;

  CallFuture(String method, Runnable onCancel, @Nullable Spin spin) {
    this.method = method;
    this.onCancel = onCancel;
    this.spin = spin;
  }

  /**
   * Waits for the result.
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
        unchecked.addSuppressed(new CalledFrom(method)); // the cause was made by another thread
        throw unchecked;
      }
      throw new CompletionException(cause);
    }
  }

  /** Where a failed call was made, since its exception was made by the thread that reads. */
  private static final class CalledFrom extends Exception {
    private static final long serialVersionUID = 1;

    CalledFrom(String method) {
      super("the call of '" + method + "'");
    }
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean cancelled = super.cancel(mayInterruptIfRunning);
    if (cancelled) {
      onCancel.run();
    }
    return cancelled;
  }

  /** Derived futures cancel the call too: nobody else may be waiting for it. */
  @Override
  public <U> CompletableFuture<U> newIncompleteFuture() {
    return new CallFuture<>(method, () -> cancel(false), spin);
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
