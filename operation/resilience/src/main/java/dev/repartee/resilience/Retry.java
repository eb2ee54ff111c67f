package dev.repartee.resilience;

import dev.repartee.Call;
import dev.repartee.CallBuilder;
import dev.repartee.CallTimeoutException;
import dev.repartee.HttpException;
import dev.repartee.ReparteeException;
import dev.repartee.RpcException;
import dev.repartee.internal.Times;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.message.RpcError;
import dev.repartee.reconnect.Backoff;
import dev.repartee.transport.DisconnectedException;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The repetition of calls that have failed. Immutable: each method returns a changed copy.
 *
 * <ul>
 *   <li>A call that was certainly not handled is repeated: {@link ReparteeException#unsent} has a
 *       reason, such as a refused connection or a server of this library that closes; or the server
 *       has asked to try later, with HTTP 429 or the error -32000 with a number {@code retryAfter}.
 *   <li>A call that was sent and not answered may have been handled. It is repeated if it is
 *       idempotent: {@link Call#isIdempotent} or {@link Resilience.Builder#idempotent(String...)}
 *       declares it. This applies to lost connections and to the HTTP statuses 408, 502, 503 and
 *       504: a proxy answers with 503, too, when it has lost its server.
 *   <li>A call that was answered with an error is repeated if the error is declared {@link #safe}.
 *   <li>No other call is repeated, and none after its time-out or after the end of its peer. A peer
 *       that {@linkplain dev.repartee.reconnect.Reconnecting reconnects} outlives its connections.
 *       Notifications and calls of {@code rpc.} methods are never repeated.
 * </ul>
 *
 * <p>The pause before a repetition is random, and at least as long as the server has requested. If
 * the pause would be longer than {@link #longestPause}, or than the time that is left for the call,
 * the call fails immediately with its last failure. All attempts share the {@linkplain
 * CallBuilder#timeout time-out} of the call and the {@linkplain Resilience.Builder#budget budget}
 * of its peer.
 */
public final class Retry {
  /**
   * The defaults: three attempts; a pause of 50 to 100 ms before the second, twice as long before
   * each further one, up to 5 s; longest pause that a server may request 30 s; no safe errors.
   */
  public static final Retry DEFAULT = new Retry(
      3,
      Backoff.DEFAULT.initial(Duration.ofMillis(100)).max(Duration.ofSeconds(5)),
      Duration.ofSeconds(30),
      error -> false);

  private static final int REQUEST_TIMEOUT = 408;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int BAD_GATEWAY = 502;
  private static final int GATEWAY_TIMEOUT = 504;

  private final int attempts;
  private final Backoff backoff;
  private final Duration longestPause;
  private final Predicate<? super RpcException> safe;

  private Retry(
      int attempts, Backoff backoff, Duration longestPause, Predicate<? super RpcException> safe) {
    this.attempts = attempts;
    this.backoff = backoff;
    this.longestPause = longestPause;
    this.safe = safe;
  }

  /**
   * Sets the number of attempts for a call, including the first.
   *
   * @throws IllegalArgumentException if the number is not positive
   */
  public Retry attempts(int attempts) {
    if (attempts < 1) {
      throw new IllegalArgumentException("at least one attempt is needed, not " + attempts);
    }
    return new Retry(attempts, backoff, longestPause, safe);
  }

  /**
   * Sets the pauses: {@link Backoff#delay}, a random time between half of the longest pause and the
   * longest pause. The number of attempts and the ends of the backoff do not apply.
   */
  public Retry backoff(Backoff backoff) {
    return new Retry(attempts, backoff, longestPause, safe);
  }

  /**
   * Sets the longest pause that a server may request, with the header field {@code Retry-After} or
   * the number of seconds {@code retryAfter} in the data of an error.
   *
   * @throws IllegalArgumentException if the time is negative or more than 292 years
   */
  public Retry longestPause(Duration time) {
    return new Retry(attempts, backoff, Times.require("longestPause", time), safe);
  }

  /**
   * Declares error codes safe: the server answers with them only if it has changed nothing. Calls
   * with such an answer are repeated, whether they are idempotent or not. Adds to earlier
   * declarations.
   */
  public Retry safe(int... codes) {
    int[] all = codes.clone();
    return safe(error -> Arrays.stream(all).anyMatch(code -> code == error.code()));
  }

  /**
   * Declares the errors safe that a predicate accepts; see {@link #safe(int...)}. It runs on a
   * thread that reads, must not block, and must be thread-safe.
   */
  public Retry safe(Predicate<? super RpcException> errors) {
    Predicate<? super RpcException> earlier = safe;
    return new Retry(
        attempts, backoff, longestPause, error -> earlier.test(error) || errors.test(error));
  }

  /**
   * Returns the pause before the next attempt; null if the call is not repeated.
   *
   * @param attempt the number of the attempt that has failed, from 1 on
   */
  @Nullable Duration pause(Call call, boolean isIdempotent, int attempt, Throwable failure) {
    if (attempt >= attempts || !isRepeatable(failure, isIdempotent)) {
      return null;
    }
    Duration requested = requested(failure);
    if (requested.compareTo(longestPause) > 0) {
      return null;
    }
    Duration pause = backoff.delay(attempt);
    Duration longer = pause.compareTo(requested) < 0 ? requested : pause;
    Duration left = call.timeLeft();
    return left == null || longer.compareTo(left) < 0 ? longer : null;
  }

  private boolean isRepeatable(Throwable failure, boolean isIdempotent) {
    if (failure instanceof RejectedException || failure instanceof CallTimeoutException) {
      return false;
    } else if (ReparteeException.isUnsent(failure)) {
      return true;
    } else if (failure instanceof RpcException error) {
      return retryAfter(error) != null || safe.test(error);
    } else if (failure instanceof HttpException http) {
      int status = http.status();
      return status == TOO_MANY_REQUESTS
          || isIdempotent
              && (status == REQUEST_TIMEOUT || status >= BAD_GATEWAY && status <= GATEWAY_TIMEOUT);
    }
    return failure instanceof DisconnectedException && isIdempotent;
  }

  /** Returns the pause that the server has requested; zero if there is none. */
  private static Duration requested(Throwable failure) {
    Throwable cause = failure.getCause();
    Duration pause = null;
    if (failure instanceof HttpException http) {
      pause = http.retryAfter();
    } else if (failure instanceof DisconnectedException && cause instanceof HttpException last) {
      pause = last.retryAfter(); // of the last of several endpoints
    } else if (failure instanceof RpcException error) {
      pause = retryAfter(error);
    }
    return pause == null ? Duration.ZERO : pause;
  }

  /** Returns the member {@code retryAfter} of the error of a busy server; null if there is none. */
  private static @Nullable Duration retryAfter(RpcException error) {
    Json data = error.data();
    Json seconds =
        error.code() != RpcError.BUSY || data == null ? null : data.get(Times.RETRY_AFTER);
    if (seconds == null || seconds.kind() != Json.Kind.NUMBER) {
      return null;
    }
    try {
      double number = seconds.as(double.class);
      return number >= 0 && number <= Integer.MAX_VALUE
          ? Duration.ofMillis((long) Math.ceil(number * 1_000))
          : null;
    } catch (JsonException e) { // such as 1e999
      return null;
    }
  }
}
