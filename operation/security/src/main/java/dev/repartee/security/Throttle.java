package dev.repartee.security;

import dev.repartee.access.AccessException;
import dev.repartee.access.Authenticator;
import dev.repartee.access.Credentials;
import dev.repartee.access.Principal;
import dev.repartee.internal.Clock;
import dev.repartee.internal.UserCode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Slows down an address with failed attempts; see {@link Authenticators#throttled}. */
final class Throttle implements FieldAuthenticator {
  static final int ADDRESSES = 100_000;

  /** The failures without a delay. */
  static final int FREE = 5;

  private static final long SECOND = Duration.ofSeconds(1).toNanos();
  private static final long LONGEST = Duration.ofMinutes(5).toNanos();
  private static final long FORGOTTEN = Duration.ofMinutes(15).toNanos();

  /** The time after which an attempt that does not end is ignored. */
  private static final long ABANDONED = Duration.ofMinutes(1).toNanos();

  /** The time between two successes that forget failures. */
  private static final long FORGIVEN = Duration.ofMinutes(1).toNanos();

  /**
   * The failures of an address.
   *
   * @param last the time of the last one
   * @param until the time of the next admitted attempt
   * @param forgiven the time of the last success that has forgotten failures
   */
  private record Failures(int number, long last, long until, long forgiven) {
    Failures more(long now) {
      int more = now - last > FORGOTTEN ? 1 : Math.min(number + 1, Integer.MAX_VALUE - 1);
      int doublings = Math.min(more - FREE, 30);
      long delay = doublings < 0 ? 0 : Math.min(SECOND << doublings, LONGEST);
      return new Failures(more, now, now + delay, forgiven);
    }
  }

  private final Authenticator authenticator;
  private final Clock clock;
  private final Generations<String, Failures> failures = new Generations<>(ADDRESSES);

  /** The addresses after the free failures with an attempt that is under way, and its begin. */
  private final Map<String, Long> busy = new ConcurrentHashMap<>();

  Throttle(Authenticator authenticator, Clock clock) {
    this.authenticator = authenticator;
    this.clock = clock;
  }

  @Override
  public CompletionStage<@Nullable Principal> authenticate(Credentials credentials) {
    String client = Clients.name(credentials.remoteAddress(), credentials.channel());
    Failures before = failures.get(client);
    boolean isSuspect = before != null && before.number >= FREE;
    long now = clock.nanos();
    Long begin = isSuspect ? busy.get(client) : null;
    if (begin != null && now - begin < ABANDONED) {
      return Refusals.refuse(Refusals.tooMany(1)); // otherwise it could guess in parallel
    }
    if (before != null) {
      long wait = before.until - now;
      if (wait > 0) {
        return Refusals.refuse(Refusals.tooMany((wait + SECOND - 1) / SECOND));
      }
    }
    CompletableFuture<@Nullable Principal> asked = FirstOf.ask(authenticator, credentials);
    boolean isBusy = isSuspect && !asked.isDone();
    if (isBusy) {
      busy.put(client, now);
    }
    return asked.whenComplete((principal, failure) -> {
      if (principal != null && before != null) {
        forgive(client);
      } else if (isWrong(failure)) {
        fail(client);
      }
      if (isBusy) {
        busy.remove(client, now);
      }
    });
  }

  private synchronized void fail(String client) {
    long now = clock.nanos();
    Failures before = failures.get(client);
    failures.put(
        client, (before == null ? new Failures(0, now, now, now - FORGIVEN) : before).more(now));
  }

  private synchronized void forgive(String client) {
    long now = clock.nanos();
    Failures before = failures.get(client);
    if (before != null && before.number > 0 && now - before.forgiven >= FORGIVEN) {
      failures.put(client, new Failures(0, before.last, now, now));
    }
  }

  /** Returns the number of remembered addresses. */
  int size() {
    return failures.size();
  }

  private static boolean isWrong(@Nullable Throwable failure) {
    return failure != null
        && UserCode.cause(failure) instanceof AccessException refusal
        && refusal.status() == 401;
  }

  @Override
  public @Nullable String field() {
    return FieldAuthenticator.of(authenticator);
  }

  @Override
  public List<String> challenges() {
    return authenticator.challenges();
  }
}
