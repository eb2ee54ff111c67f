package dev.repartee.security;

import dev.repartee.access.Credentials;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the checks of credentials that take long: a check of the same credentials that is under
 * way is shared, one address has at most {@value #EACH} checks, and all have at most {@value #ALL}.
 * One address delays the others by its share at most. Thread-safe.
 *
 * @param <T> the result
 */
final class Checks<T extends @Nullable Object> {
  static final int EACH = 8;
  static final int ALL = 256;

  // Guarded by this.
  private final Map<Digest, CompletableFuture<T>> running = new HashMap<>();
  private final Map<String, Integer> counts = new HashMap<>();

  /**
   * Starts a check, or joins the check with this key.
   *
   * @param key the digest of the credentials
   * @param start starts the check; runs on the calling thread
   */
  CompletionStage<T> run(
      Digest key, Credentials credentials, Supplier<? extends CompletionStage<? extends T>> start) {
    String client = Clients.name(credentials.remoteAddress(), credentials.channel());
    CompletableFuture<T> check = new CompletableFuture<>();
    synchronized (this) {
      CompletableFuture<T> same = running.get(key);
      if (same != null) {
        return same.copy();
      }
      if (counts.getOrDefault(client, 0) >= EACH) {
        return CompletableFuture.failedFuture(Refusals.tooMany(1));
      }
      if (running.size() >= ALL) {
        return CompletableFuture.failedFuture(Refusals.unavailable());
      }
      running.put(key, check);
      counts.merge(client, 1, Integer::sum);
    }
    try {
      start.get().whenComplete((result, failure) -> end(key, client, check, result, failure));
    } catch (RuntimeException | Error e) {
      end(key, client, check, null, e);
    }
    return check.copy();
  }

  @SuppressWarnings("NullAway") // a check without a failure has a result
  private void end(
      Digest key,
      String client,
      CompletableFuture<T> check,
      @Nullable T result,
      @Nullable Throwable failure) {
    synchronized (this) {
      running.remove(key);
      counts.computeIfPresent(client, (name, count) -> count == 1 ? null : count - 1);
    }
    if (failure == null) {
      check.complete(result);
    } else {
      check.completeExceptionally(failure);
    }
  }
}
