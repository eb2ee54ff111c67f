package dev.repartee.access;

import dev.repartee.transport.ChannelInfo;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One decision about a caller or a call, for an {@linkplain Access.Builder#audit audit}. Contains
 * no params and no credentials.
 *
 * @param time the time of the decision
 * @param channel the connection
 * @param principal the caller; null if it is not known
 * @param method the name that the caller has sent, also of a method that does not exist: shortened to
 *     about 200 characters, with a space for each character that a terminal would interpret or not
 *     show. Null if the decision is about a request or connection
 * @param outcome the outcome
 */
public record AccessDecision(
    Instant time,
    ChannelInfo channel,
    @Nullable Principal principal,
    @Nullable String method,
    Outcome outcome) {
  /** The outcome of a decision. */
  public enum Outcome {
    /** The call is admitted. */
    ALLOWED,
    /** The credentials are missing or wrong. */
    UNAUTHENTICATED,
    /** The caller may not call this method, or may not connect. */
    FORBIDDEN,
    /** The caller has made too many calls or attempts. */
    LIMITED,
    /** The credentials could not be checked. */
    UNAVAILABLE
  }
}
