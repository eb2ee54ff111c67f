package dev.repartee.security;

import dev.repartee.Call;
import dev.repartee.Handler;
import dev.repartee.Layer;
import dev.repartee.RpcException;
import dev.repartee.access.Principal;
import dev.repartee.internal.Clock;
import dev.repartee.internal.Times;
import dev.repartee.json.Json;
import dev.repartee.message.RpcError;
import dev.repartee.security.Allowance.Excess;
import dev.repartee.security.Allowance.Rate;
import dev.repartee.transport.Channel;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.Flow;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;

/**
 * A layer that limits the calls of each caller: of each principal, or of each address without a
 * principal (of IPv6 the first 64 bits). Thread-safe.
 *
 * <pre>{@code
 * Options options = Options.builder()
 *     .layer(Quota.builder().callsPerSecond(100, 200).inFlight(20).build())
 *     .build();
 * }</pre>
 *
 * <p>A call beyond a limit gets the error -32000 with data such as {@code {"retryAfter":2,
 * "limit":"calls"}}: seconds, and {@code calls}, {@code bytes} or {@code inFlight}. Over HTTP the
 * response to a single call has the status 429 and the field {@code Retry-After}. A notification
 * beyond a limit is dropped.
 *
 * <p>At most 100,000 principals and 100,000 addresses are remembered, those with the latest calls.
 * A caller that was forgotten starts again with a full allowance.
 */
public final class Quota implements Layer {
  /** The maximum number of remembered principals, and of remembered addresses. */
  static final int CALLERS = 100_000;

  private final Allowance.Limits limits;
  private final Clock clock;

  /** Callers with credentials have their own table: other addresses cannot displace them. */
  private final Generations<String, Allowance> principals =
      new Generations<>(CALLERS, Allowance::isInUse);

  private final Generations<String, Allowance> addresses =
      new Generations<>(CALLERS, Allowance::isInUse);

  private Quota(Builder builder) {
    limits = new Allowance.Limits(builder.calls, builder.bytes, builder.inFlight);
    clock = builder.clock;
  }

  /** Returns a builder without limits. */
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public @Nullable Object handle(Call call, Handler next) throws Exception {
    long now = clock.nanos();
    Allowance allowance = allowance(call);
    Json params = call.params();
    Excess excess = allowance.acquire(now, params == null ? 0 : params.length());
    if (excess != null) {
      throw refused(call, excess);
    }
    return Layer.whenDone(call, next, (result, failure) -> {
      if (call.id() != null && isStream(result)) {
        call.afterAnswer(allowance::release); // the answer follows the last item
      } else {
        allowance.release();
      }
    });
  }

  private static boolean isStream(@Nullable Object result) {
    return result instanceof Flow.Publisher
        || result instanceof BaseStream
        || result instanceof Iterator;
  }

  private Allowance allowance(Call call) {
    Principal principal = call.principal();
    return principal != null
        ? principals.getOrMake(principal.name(), this::full)
        : ofAddress(Clients.name(call.attributes().get(Channel.REMOTE_ADDRESS), call.channel()));
  }

  /** Returns the allowance of an address. */
  Allowance ofAddress(String client) {
    return addresses.getOrMake(client, this::full);
  }

  private Allowance full(String caller) {
    return new Allowance(limits, clock.nanos());
  }

  private static RpcException refused(Call call, Excess excess) {
    call.responseStatus(429);
    call.responseHeader("Retry-After", Long.toString(excess.retryAfter()));
    return new RpcException(
        RpcError.BUSY,
        "too many calls; try again in " + excess.retryAfter()
            + (excess.retryAfter() == 1 ? " second" : " seconds"),
        Map.of(Times.RETRY_AFTER, excess.retryAfter(), "limit", excess.limit()));
  }

  /** Returns the number of remembered callers. */
  int size() {
    return principals.size() + addresses.size();
  }

  /** A builder of {@link Quota}. */
  public static final class Builder {
    private @Nullable Rate calls;
    private @Nullable Rate bytes;
    private int inFlight;
    private Clock clock = Clock.SYSTEM;

    private Builder() {}

    /**
     * Limits the calls of a caller in a second. A caller that was idle for a second may make the
     * calls of a second together.
     *
     * @throws IllegalArgumentException if the number is not positive
     */
    public Builder callsPerSecond(double number) {
      return callsPerSecond(number, Math.max(1, number));
    }

    /**
     * Limits the calls of a caller in a second.
     *
     * @param number the average number, which may be a fraction
     * @param burst the number of calls that a caller may make together after a pause
     * @throws IllegalArgumentException if the number is not positive, or the burst is below 1
     */
    public Builder callsPerSecond(double number, double burst) {
      calls = rate(number, burst);
      return this;
    }

    /**
     * Limits the bytes that a caller sends in a second: the text of the params of its calls. A
     * caller that was idle for a second may send those of a second together.
     *
     * @throws IllegalArgumentException if the number is not positive
     */
    public Builder bytesPerSecond(long number) {
      return bytesPerSecond(number, number);
    }

    /**
     * Limits the bytes that a caller sends in a second.
     *
     * @param number the average number
     * @param burst the number of bytes that a caller may send together after a pause. A larger call
     *     is admitted, and the following ones wait
     * @throws IllegalArgumentException if a number is not positive
     */
    public Builder bytesPerSecond(long number, long burst) {
      bytes = rate(number, burst);
      return this;
    }

    private static Rate rate(double number, double burst) {
      if (!(number > 0) || !(burst >= 1) || Double.isInfinite(number) || Double.isInfinite(burst)) {
        throw new IllegalArgumentException(
            "a limit is greater than 0, and its burst at least 1, not " + number + " and " + burst);
      }
      return new Rate(number, burst);
    }

    /**
     * Limits the calls of a caller that run at the same time. A call runs until its outcome is
     * known, also if a stage completes it later. A call that returns a stream runs until the stream
     * ends; a subscription, until it is answered with its id.
     *
     * @throws IllegalArgumentException if the number is not positive
     */
    public Builder inFlight(int number) {
      if (number < 1) {
        throw new IllegalArgumentException("a limit of running calls is at least 1, not " + number);
      }
      inFlight = number;
      return this;
    }

    /** Sets the clock of a test. */
    Builder clock(Clock clock) {
      this.clock = clock;
      return this;
    }

    /**
     * Returns the layer.
     *
     * @throws IllegalStateException if there is no limit
     */
    public Quota build() {
      if (calls == null && bytes == null && inFlight == 0) {
        throw new IllegalStateException("set a limit for calls, bytes or running calls");
      }
      return new Quota(this);
    }
  }
}
