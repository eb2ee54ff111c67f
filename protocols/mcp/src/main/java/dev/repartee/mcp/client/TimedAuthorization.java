package dev.repartee.mcp.client;

import dev.repartee.mcp.auth.HttpAuthorization;
import dev.repartee.transport.Headers;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Measures the time since an authorization last worked. A user may need minutes to log in; that
 * time must not count as silence of the server. Thread-safe.
 */
final class TimedAuthorization implements HttpAuthorization {
  private final HttpAuthorization authorization;

  /** The number of stages that have not ended. Guarded by this object. */
  private int running;

  /** The end of the last stage, as a value of {@link System#nanoTime}. Guarded by this object. */
  private long end = System.nanoTime();

  TimedAuthorization(HttpAuthorization authorization) {
    this.authorization = authorization;
  }

  /** Returns the nanoseconds since the authorization last ended its work; 0 while it works. */
  synchronized long idleNanos() {
    return running > 0 ? 0 : System.nanoTime() - end;
  }

  @Override
  public CompletionStage<Headers> headers(Request request) {
    return timed(() -> authorization.headers(request));
  }

  @Override
  public CompletionStage<Boolean> refused(Refusal refusal) {
    return timed(() -> authorization.refused(refusal));
  }

  @Override
  public void answered(Request request, Map<String, List<String>> headers) {
    authorization.answered(request, headers);
  }

  private <T> CompletionStage<T> timed(Supplier<CompletionStage<T>> step) {
    begin();
    CompletionStage<T> stage;
    try {
      stage = Objects.requireNonNull(step.get(), "HttpAuthorization returned null, not a stage");
    } catch (RuntimeException e) {
      end();
      throw e;
    }
    return stage.whenComplete((result, failure) -> end());
  }

  private synchronized void begin() {
    running++;
  }

  private synchronized void end() {
    running--;
    end = System.nanoTime();
  }
}
