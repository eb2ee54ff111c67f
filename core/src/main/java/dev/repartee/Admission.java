package dev.repartee;

import dev.repartee.access.Access;
import dev.repartee.access.AccessDecision.Outcome;
import dev.repartee.access.AccessException;
import dev.repartee.access.Authenticator;
import dev.repartee.access.Credentials;
import dev.repartee.access.Principal;
import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import dev.repartee.internal.UserCode;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.Headers;
import dev.repartee.transport.http.HttpGate;
import dev.repartee.transport.http.HttpGate.Verdict;
import dev.repartee.transport.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Asks the authenticator of an endpoint for the principal of a caller, within a time limit. Reports
 * refusals to the audit. Thread-safe.
 */
final class Admission {
  /** The message for a caller without credentials, or with wrong ones. */
  static final String UNKNOWN = "Valid credentials are needed";

  private static final String UNAVAILABLE =
      "The credentials cannot be checked now; try again later";

  private final Options options;
  private final Access access;
  private final Authenticator authenticator;

  /**
   * The attempts that wait for the authenticator; their maximum is the limit for connections. The
   * limit for connections alone does not bound them: an attempt continues after its client has
   * disconnected, and this client may open another connection before the attempt ends.
   */
  private final AtomicInteger waiting = new AtomicInteger();

  private Admission(Options options, Access access, Authenticator authenticator) {
    this.options = options;
    this.access = access;
    this.authenticator = authenticator;
  }

  /** Returns the admission of an endpoint; null if it has no authenticator. */
  static @Nullable Admission of(Options options) {
    return of(options, options.access());
  }

  /** Returns the admission to the peers of a factory at an endpoint; null if there is none. */
  static @Nullable Admission of(Options options, PeerFactory peers) {
    Access own = peers.access();
    return of(options, own == null || own.authenticator() == null ? options.access() : own);
  }

  private static @Nullable Admission of(Options options, Access access) {
    Authenticator authenticator = access.authenticator();
    return authenticator == null ? null : new Admission(options, access, authenticator);
  }

  /** Returns whether the caller is known, because its transport or a framework has proved it. */
  static boolean isKnown(Attributes caller) {
    return caller.get(Principal.KEY) != null;
  }

  /**
   * Authenticates a caller. Throws nothing.
   *
   * @return the attributes with the principal. If the caller is refused, the future fails with an
   *     {@link AccessException}
   */
  CompletableFuture<Attributes> admit(ChannelInfo channel, Attributes caller) {
    if (isKnown(caller)) {
      return CompletableFuture.completedFuture(caller);
    }
    CompletableFuture<@Nullable Principal> asked = ask(new Credentials(channel, caller));
    return (asked.isDone() ? asked : limited(asked)).handle((principal, failure) -> {
      if (principal != null) {
        return caller.with(Principal.KEY, principal);
      }
      Throwable cause = failure == null
          ? new AccessException(401, UNKNOWN, Headers.NONE)
          : UserCode.cause(failure);
      throw refused(channel, cause);
    });
  }

  private CompletableFuture<@Nullable Principal> ask(Credentials credentials) {
    try {
      return authenticator.authenticate(credentials).toCompletableFuture();
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Limits the time of an authentication, and the number of those that wait. The stage of the
   * authenticator is not cancelled: several callers may share it.
   */
  private CompletableFuture<@Nullable Principal> limited(
      CompletableFuture<@Nullable Principal> asked) {
    if (waiting.incrementAndGet() > options.limits().connections()) {
      waiting.decrementAndGet();
      return CompletableFuture.failedFuture(
          new AccessException(503, UNAVAILABLE, Headers.NONE.with("Retry-After", "1")));
    }
    CompletableFuture<@Nullable Principal> limited = asked.copy();
    Duration time = options.limits().callTimeout();
    Clock.Timer timer = options
        .clock()
        .schedule(
            time.isZero() ? Limits.DEFAULT.callTimeout() : time, // zero is no limit for calls
            Threads.CALLS,
            () -> limited.completeExceptionally(
                new TimeoutException("there is no result after callTimeout")));
    limited.whenComplete((principal, failure) -> {
      timer.cancel();
      waiting.decrementAndGet();
    });
    return limited;
  }

  /** Reports a refusal to the audit, and a failure of the authenticator to the listener. */
  private AccessException refused(ChannelInfo channel, Throwable cause) {
    AccessException refusal = cause instanceof AccessException known
        ? known
        : new AccessException(503, UNAVAILABLE, Headers.NONE);
    if (refusal != cause) {
      UserCode.run(() -> options
          .listener()
          .notice(channel, "a caller could not be authenticated: " + cause)); // its text may throw
    }
    Permissions.audit(access, channel, null, null, outcome(refusal.status()));
    return refusal;
  }

  /** Returns the gate for HTTP requests, which refuses with the status of the refusal. */
  HttpGate gate() {
    return request -> admit(request.channel(), request.attributes())
        .handle((known, failure) -> failure == null
            ? Verdict.admitted(known)
            : Verdict.refused(response(refusal(failure))));
  }

  private HttpResponse response(AccessException refusal) {
    try {
      HttpResponse response = HttpResponse.refused(refusal.status(), refusal.getMessage() + ".");
      for (Map.Entry<String, String> field : refusal.headers().fields().entrySet()) {
        response = response.header(field.getKey(), field.getValue());
      }
      boolean challenges =
          refusal.status() == 401 && refusal.headers().get(HttpResponse.CHALLENGE) == null;
      return challenges ? response.challenges(authenticator.challenges()) : response;
    } catch (RuntimeException | Error e) { // a status or a challenge that is not one of HTTP
      return HttpResponse.refused(503, UNAVAILABLE + ".");
    }
  }

  private static Outcome outcome(int status) {
    return switch (status) {
      case 401 -> Outcome.UNAUTHENTICATED;
      case 403 -> Outcome.FORBIDDEN;
      case 429 -> Outcome.LIMITED;
      default -> Outcome.UNAVAILABLE;
    };
  }

  /** Returns the refusal with which {@link #admit} has failed. */
  static AccessException refusal(Throwable failure) {
    return (AccessException) UserCode.cause(failure);
  }
}
