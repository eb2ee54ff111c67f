package dev.repartee.resilience;

import dev.repartee.Call;
import dev.repartee.CallTimeoutException;
import dev.repartee.HttpException;
import dev.repartee.ProtocolException;
import dev.repartee.ReparteeException;
import dev.repartee.RpcException;
import dev.repartee.internal.Times;
import dev.repartee.json.JsonException;
import dev.repartee.limits.LimitException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A circuit breaker. If too many calls of a peer fail, it opens: for a time all calls fail
 * immediately with {@link RejectedException} and are not sent. After that it lets some trial calls
 * pass. If all of them succeed, it closes; if one fails, it opens again. Immutable: each method
 * returns a changed copy.
 *
 * <p>A call fails, in this sense, if the server has not answered: {@link CallTimeoutException}, a
 * lost connection, a {@link ProtocolException}, a status of HTTP from 500 on, or a server that
 * closes. An answer with an error is a success, since the server works, unless {@link #failure}
 * declares it. The breaker does not count cancelled calls, rejected calls and calls with params that
 * are too large. It does not count time-outs at the {@linkplain Call#hasDeadlineOfCaller deadline of
 * a caller} either: callers with short deadlines must not open the breaker of a gateway for all
 * others.
 *
 * <p>Each peer has its own breaker; with {@link #perMethod}, each method of a peer. A peer of
 * several endpoints ({@link dev.repartee.balance.Balanced}) has one for all of them; it ejects
 * single endpoints itself.
 */
public final class Breaker {
  /**
   * The defaults: opens for 5 s if at least 20 calls have ended within 10 s and half of them or more
   * have failed; three trial calls.
   */
  public static final Breaker DEFAULT = new Breaker(
      50, 20, Duration.ofSeconds(10), Duration.ofSeconds(5), 3, false, failure -> false);

  private static final double ALL = 100;
  private static final int SERVER_ERROR = 500;

  final double percent;
  final int minimumCalls;
  final Duration window;
  final Duration openFor;
  final int trialCalls;
  final boolean perMethod;
  private final Predicate<? super Throwable> failures;

  private Breaker(
      double percent,
      int minimumCalls,
      Duration window,
      Duration openFor,
      int trialCalls,
      boolean perMethod,
      Predicate<? super Throwable> failures) {
    this.percent = percent;
    this.minimumCalls = minimumCalls;
    this.window = window;
    this.openFor = openFor;
    this.trialCalls = trialCalls;
    this.perMethod = perMethod;
    this.failures = failures;
  }

  /**
   * Sets the percentage of failed calls from which on the breaker opens.
   *
   * @throws IllegalArgumentException if it is not more than 0 and at most 100
   */
  public Breaker failureRate(double percent) {
    if (!(percent > 0 && percent <= ALL)) {
      throw new IllegalArgumentException(
          "the percentage is more than 0 and at most 100, not " + percent);
    }
    return new Breaker(percent, minimumCalls, window, openFor, trialCalls, perMethod, failures);
  }

  /**
   * Sets the number of calls in the window below which the breaker does not open.
   *
   * @throws IllegalArgumentException if the number is not positive
   */
  public Breaker minimumCalls(int calls) {
    return new Breaker(
        percent, positive("minimumCalls", calls), window, openFor, trialCalls, perMethod, failures);
  }

  /**
   * Sets the time for which the end of a call counts, with a precision of a tenth.
   *
   * @throws IllegalArgumentException if the time is shorter than a millisecond or more than 292
   *     years
   */
  public Breaker window(Duration time) {
    if (Times.require("window", time).toMillis() == 0) {
      throw new IllegalArgumentException("the window is at least a millisecond, not " + time);
    }
    return new Breaker(percent, minimumCalls, time, openFor, trialCalls, perMethod, failures);
  }

  /**
   * Sets the time for which the breaker stays open before it lets trial calls pass.
   *
   * @throws IllegalArgumentException if the time is negative or more than 292 years
   */
  public Breaker openFor(Duration time) {
    return new Breaker(
        percent,
        minimumCalls,
        window,
        Times.require("openFor", time),
        trialCalls,
        perMethod,
        failures);
  }

  /**
   * Sets the number of trial calls. All other calls are rejected until they have ended.
   *
   * @throws IllegalArgumentException if the number is not positive
   */
  public Breaker trialCalls(int calls) {
    return new Breaker(
        percent, minimumCalls, window, openFor, positive("trialCalls", calls), perMethod, failures);
  }

  /**
   * Gives each method of a peer its own breaker. The first 100 methods of a peer have one each; the
   * others share one.
   */
  public Breaker perMethod() {
    return new Breaker(percent, minimumCalls, window, openFor, trialCalls, true, failures);
  }

  /**
   * Declares further failures, such as an {@link RpcException} with a code of an overloaded server.
   * Adds to earlier declarations. The predicate runs on a thread that reads, must not block, and
   * must be thread-safe.
   */
  public Breaker failure(Predicate<? super Throwable> failures) {
    Predicate<? super Throwable> earlier = this.failures;
    return new Breaker(
        percent,
        minimumCalls,
        window,
        openFor,
        trialCalls,
        perMethod,
        failure -> earlier.test(failure) || failures.test(failure));
  }

  private static int positive(String name, int number) {
    if (number < 1) {
      throw new IllegalArgumentException(name + " is at least 1, not " + number);
    }
    return number;
  }

  /** Returns whether a call counts that has ended with this failure, or null. */
  boolean counts(Call call, @Nullable Throwable failure) {
    return failure == null
        || failure instanceof ReparteeException
            && !(failure instanceof RejectedException)
            && !(failure instanceof CallTimeoutException && call.hasDeadlineOfCaller())
            && !isTooLarge(failure)
        || failures.test(failure);
  }

  /** Returns whether the params were too large to be sent, which says nothing about the server. */
  private static boolean isTooLarge(Throwable failure) {
    return failure instanceof LimitException limit && limit.limit().equals("frameBytes");
  }

  /** Returns whether the end of a call that {@linkplain #counts counts} is a failure. */
  boolean isFailure(@Nullable Throwable failure) {
    if (failure == null || failure instanceof CancellationException) {
      return false;
    } else if (failures.test(failure) || ReparteeException.isUnsent(failure)) {
      return true;
    } else if (failure instanceof HttpException http) {
      return http.status() >= SERVER_ERROR;
    }
    return !(failure instanceof RpcException || failure instanceof JsonException);
  }
}
