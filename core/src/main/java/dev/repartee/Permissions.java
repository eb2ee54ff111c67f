package dev.repartee;

import dev.repartee.access.Access;
import dev.repartee.access.AccessDecision;
import dev.repartee.access.AccessDecision.Outcome;
import dev.repartee.access.Allow;
import dev.repartee.access.Principal;
import dev.repartee.internal.Text;
import dev.repartee.internal.UserCode;
import dev.repartee.message.RpcError;
import dev.repartee.stream.Streaming;
import dev.repartee.transport.ChannelInfo;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides about each call of an endpoint before its layers and its handler. There is none for an
 * endpoint where everybody may make every call and no call is audited. Thread-safe.
 */
final class Permissions {
  /** The maximum number of characters of a method name in an {@link AccessDecision}. */
  private static final int SHOWN = 200;

  private final Access access;

  /** The error for every call; null if each is decided. */
  private final @Nullable RpcError refusal;

  private final String reason;

  /**
   * The methods that end a subscription. Like cancellation and credit, they concern only an earlier
   * call of the same connection.
   */
  private final Set<String> exempt = new HashSet<>();

  private Permissions(Service service, Access access, @Nullable RpcError refusal, String reason) {
    this.access = access;
    this.refusal = refusal;
    this.reason = reason;
    for (RpcMethod method : service.methods()) {
      Streaming streaming = method.streaming();
      if (streaming != null && streaming.form() == Streaming.Form.SUBSCRIPTION) {
        exempt.add(streaming.unsubscribe());
      }
    }
  }

  /**
   * Returns the permissions for a service; null if none are needed.
   *
   * @param service the service without the built-in methods
   */
  static @Nullable Permissions of(Service service, Access access) {
    boolean needed =
        restricts(service, access) || access.authenticator() != null || access.audit() != null;
    return needed ? new Permissions(service, access, null, RefusedCall.ACCESS) : null;
  }

  /**
   * Returns permissions that answer every call with this error, without an audit.
   *
   * @param reason the reason in a {@link RefusedCall}
   */
  static Permissions none(RpcError error, String reason) {
    return new Permissions(Service.NONE, Access.OPEN, error, reason);
  }

  /** Returns the reason of refusals in a {@link RefusedCall}. */
  String reason() {
    return reason;
  }

  /** Returns whether some callers may not call everything. */
  static boolean restricts(Service service, Access access) {
    return access.hasRules() || service.isRestricted();
  }

  /**
   * Decides about a call.
   *
   * @param method the method of that name, or null if there is none
   * @return the error to answer with; null if the call is admitted
   */
  @Nullable RpcError check(Connection connection, String name, @Nullable RpcMethod method) {
    if (refusal != null) {
      return refusal;
    }
    if (method != null && method.isImmediate() || exempt.contains(name)) {
      return null;
    }
    Principal principal = connection.attributes().get(Principal.KEY);
    Allow allow = method == null ? null : method.allow();
    // With an authenticator, only a channel with separate attributes for each message may have no
    // principal: the channel was not authenticated.
    boolean known = principal != null || access.authenticator() == null;
    Outcome outcome = known && access.allows(principal, name, allow)
        ? Outcome.ALLOWED
        : principal == null ? Outcome.UNAUTHENTICATED : Outcome.FORBIDDEN;
    audit(access, connection.info(), principal, name, outcome);
    return switch (outcome) {
      case ALLOWED -> null;
      case UNAUTHENTICATED -> Errors.UNAUTHENTICATED;
      default -> Errors.FORBIDDEN;
    };
  }

  /** Reports a decision to the audit, if there is one. Throws nothing. */
  static void audit(
      Access access,
      ChannelInfo channel,
      @Nullable Principal principal,
      @Nullable String method,
      Outcome outcome) {
    Consumer<? super AccessDecision> audit = access.audit();
    if (audit != null) {
      // The caller has chosen the name: it must not look like another line of a log.
      String shown = method == null ? null : Text.printable(Text.shortened(method, SHOWN));
      UserCode.run(() ->
          audit.accept(new AccessDecision(Instant.now(), channel, principal, shown, outcome)));
    }
  }
}
