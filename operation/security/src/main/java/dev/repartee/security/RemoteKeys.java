package dev.repartee.security;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.internal.Clock;
import dev.repartee.internal.UserCode;
import dev.repartee.internal.log.FailureLog;
import dev.repartee.security.http.SmallExchange;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * A JWK set at an address. At most one request is under way. After a success there is another one
 * when the keys are five minutes old, and at most every 30 seconds one for an unknown key; after a
 * failure at most one every five seconds, and none for an unknown key for 30 seconds.
 */
final class RemoteKeys implements KeySource {
  static final Duration FRESH = Duration.ofMinutes(5);
  static final Duration KEPT = Duration.ofHours(1);
  static final Duration FORCED = Duration.ofSeconds(30);
  static final Duration RETRY = Duration.ofSeconds(5);

  private static final FailureLog LOG = new FailureLog();

  /** Keys, a completed future of them, and the time when they were read last. */
  private record Known(KeySet keys, CompletableFuture<KeySet> completed, long read) {}

  private final URI uri;
  private final Clock clock;

  /** Written under the lock of this; null before the first success. */
  private volatile @Nullable Known known;

  /** The time of the next request, or never while one is under way; written under the lock. */
  private volatile long due;

  // Guarded by this.
  /** The request that is under way. */
  private @Nullable CompletableFuture<KeySet> pending;

  private boolean hasFailed;
  private long forced;

  /** Starts to read the keys. */
  @SuppressWarnings("FutureReturnValueIgnored") // a failure is logged, and repeated later
  RemoteKeys(URI uri, Clock clock) {
    this.uri = uri;
    this.clock = clock;
    this.forced = clock.nanos() - FORCED.toNanos();
    read();
  }

  @Override
  public CompletableFuture<KeySet> current() {
    Known now = known;
    long time = clock.nanos();
    if (now == null || time - now.read >= KEPT.toNanos()) {
      return waitFor(time);
    }
    if (time >= due) {
      waitFor(time); // for later tokens; this one has keys
    }
    return now.completed;
  }

  private synchronized CompletableFuture<KeySet> waitFor(long time) {
    if (pending != null) {
      return pending.copy();
    }
    if (time >= due) {
      return read();
    }
    Known now = known; // a request may have ended since the caller has looked
    return now != null && time - now.read < KEPT.toNanos()
        ? now.completed
        : CompletableFuture.failedFuture(Refusals.unavailable());
  }

  @Override
  public synchronized CompletableFuture<KeySet> after(KeySet missed) {
    Known now = known;
    if (pending != null) {
      return pending.copy();
    }
    if (now != null && now.keys != missed) {
      return now.completed;
    }
    long time = clock.nanos();
    if (time - forced < FORCED.toNanos()) {
      return hasFailed
          ? CompletableFuture.failedFuture(Refusals.unavailable())
          : CompletableFuture.completedFuture(missed);
    }
    forced = time;
    return read();
  }

  private synchronized CompletableFuture<KeySet> read() {
    CompletableFuture<KeySet> reading = new CompletableFuture<>();
    pending = reading;
    due = Clock.NEVER;
    SmallExchange.send(HttpRequest.newBuilder(uri)
            .header("Accept", "application/jwk-set+json, application/json"))
        .thenApply(this::keys)
        .whenComplete((keys, failure) -> end(reading, keys, failure));
    return reading.copy();
  }

  private KeySet keys(SmallExchange.Answer answer) {
    if (answer.status() != 200) {
      throw new CompletionException(new IOException(answer + ", not 200"));
    }
    return KeySet.parse(answer.source(), new String(answer.body(), UTF_8));
  }

  private void end(
      CompletableFuture<KeySet> reading, @Nullable KeySet read, @Nullable Throwable failure) {
    KeySet keys = read;
    synchronized (this) {
      long time = clock.nanos();
      pending = null;
      hasFailed = keys == null;
      due = time + (keys == null ? RETRY : FRESH).toNanos();
      if (keys != null) {
        Known before = known;
        // The same object: tokens that were verified with it stay verified.
        keys = before != null && before.keys.equals(keys) ? before.keys : keys;
        known = new Known(keys, CompletableFuture.completedFuture(keys), time);
      }
    }
    if (keys != null) {
      reading.complete(keys);
    } else {
      LOG.write(
          "the keys of tokens cannot be read: "
              + (failure == null ? uri : UserCode.cause(failure).getMessage()),
          null);
      reading.completeExceptionally(Refusals.unavailable());
    }
  }
}
