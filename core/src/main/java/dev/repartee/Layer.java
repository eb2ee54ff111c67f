package dev.repartee;

import dev.repartee.internal.UserCode;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An interceptor of calls: for metrics, authentication, retries, limits or tracing. Both directions
 * use this interface: {@link Options#layers()} surround the handlers of this side, {@link
 * Options#callLayers()} surround its outgoing calls. Each element of a batch passes separately.
 *
 * <p>A layer around a handler knows the method ({@link Call#rpcMethod}), its annotations ({@link
 * Call#annotation}) and its arguments ({@link Call#arguments}). With {@link Call#with} it passes on
 * other params, in both directions. A layer around outgoing calls adds headers with {@link
 * Call#requestHeader}.
 *
 * <p>Requests of unknown methods pass through the layers, too, and {@code next} fails with -32601.
 * A layer that requires a login answers first, and a stranger cannot find out which methods exist.
 * {@link Call#rpcMethod} is null then, and {@link Call#method} is any text of the peer: a layer
 * must not keep each such name, for example in its metrics.
 *
 * <p><b>The return of {@code next} is not the end of the call.</b> A handler may return a {@link
 * CompletionStage}, and an outgoing call always does. To act after the call, for example to measure
 * its time, use {@link #whenDone} or {@link #timing}.
 */
@FunctionalInterface
public interface Layer {
  /**
   * Handles a call, or passes it on to {@code next} any number of times. Runs on the thread of the
   * handler or, for outgoing calls, on the thread that makes the call. It must not block where that
   * thread must not. A layer around outgoing calls never waits for the answer: the call may belong
   * to a {@link Batch} that is not sent yet. An outgoing call that the layers hold, before its message
   * or after the answer, and do not end within a second after its deadline fails with {@link
   * CallTimeoutException}.
   *
   * @return the value that {@code next} returned, or another one. For outgoing calls {@code next}
   *     returns a {@link CompletionStage}, or null for a notification
   * @throws Exception as {@link Handler#handle} does; an outgoing call fails with this exception
   */
  @Nullable Object handle(Call call, Handler next) throws Exception;

  /** Receives the duration of a call; see {@link #timing}. */
  @FunctionalInterface
  interface Timing {
    /**
     * Records a call that has ended.
     *
     * @param duration the time from the entry into the layer to the outcome
     * @param failure null for a result; otherwise the exception of the handler or of the outgoing
     *     call, such as {@link RpcException} or, for a cancelled call, {@link
     *     java.util.concurrent.CancellationException}
     */
    void ended(Call call, Duration duration, @Nullable Throwable failure);
  }

  /**
   * Returns a layer that measures the time of calls, in both directions, also of calls that are
   * answered later. Around a handler, this is the time without waiting for a thread before and
   * without sending the answer after; a call that is refused before it reaches the layers is not
   * counted. An outgoing notification ends when it is sent.
   *
   * @param timing is called once for each call, on the thread that ends it, which it must not
   *     block. It must not throw: as in {@link #whenDone}, the call would fail
   */
  static Layer timing(Timing timing) {
    return (call, next) -> {
      long start = System.nanoTime();
      return whenDone(
          call,
          next,
          (result, failure) ->
              timing.ended(call, Duration.ofNanos(System.nanoTime() - start), failure));
    };
  }

  /**
   * Passes a call on to {@code next}, and acts when it has ended: after {@code next} has returned a
   * result or thrown an exception, or when the stage completes that {@code next} has returned. A
   * layer returns the returned value. The action runs before the answer is sent, or before the
   * future of an outgoing call completes.
   *
   * @param done gets the result and null, or null and the exception, without the {@link
   *     java.util.concurrent.CompletionException} that a stage wraps it in. Runs on the thread that
   *     ends the call and must not block it. If it throws, a call that had a result fails with that
   *     exception; a call that had failed keeps its failure
   */
  static @Nullable Object whenDone(
      Call call, Handler next, BiConsumer<@Nullable Object, @Nullable Throwable> done)
      throws Exception {
    Object outcome;
    try {
      outcome = next.handle(call);
    } catch (Throwable e) {
      try {
        done.accept(null, e);
      } catch (Throwable another) {
        if (another != e) {
          e.addSuppressed(another);
        }
      }
      throw e;
    }
    if (outcome instanceof CompletionStage<?> stage) {
      // The future below does not pass its cancellation on.
      call.cancellation()
          .onCancel(() -> UserCode.run(() -> stage.toCompletableFuture().cancel(true)));
      CompletionStage<?> acted = stage.whenComplete((result, failure) ->
          done.accept(result, failure == null ? null : UserCode.cause(failure)));
      return acted.thenApply(result -> result); // a cancelled "acted" would skip the action
    }
    done.accept(outcome, null);
    return outcome;
  }
}
