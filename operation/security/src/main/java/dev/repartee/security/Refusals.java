package dev.repartee.security;

import dev.repartee.access.AccessException;
import dev.repartee.access.Principal;
import dev.repartee.transport.Headers;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The refusals of this module. There is one text for all wrong credentials: a caller does not learn
 * which part was wrong.
 */
final class Refusals {
  private static final AccessException WRONG = new AccessException(
      401, "the credentials are not valid, or have expired; log in again", Headers.NONE);

  private static final long RETRY_SECONDS = 5;

  private Refusals() {}

  /** Returns the refusal of wrong credentials. */
  static AccessException wrong() {
    return WRONG;
  }

  /** Returns the refusal of credentials that cannot be checked at present. */
  static AccessException unavailable() {
    return retry(503, "the credentials cannot be checked at present", RETRY_SECONDS);
  }

  /**
   * Returns the refusal of a caller with too many attempts.
   *
   * @param seconds the time until the next attempt is admitted, at least 1
   */
  static AccessException tooMany(long seconds) {
    return retry(429, "there were too many attempts with wrong credentials", seconds);
  }

  private static AccessException retry(int status, String reason, long seconds) {
    return new AccessException(
        status,
        reason + "; try again in " + seconds + (seconds == 1 ? " second" : " seconds"),
        Headers.NONE.with("Retry-After", Long.toString(seconds)));
  }

  /** Returns the outcome of an authentication that is refused. */
  static CompletableFuture<@Nullable Principal> refuse(AccessException refusal) {
    return CompletableFuture.failedFuture(refusal);
  }
}
