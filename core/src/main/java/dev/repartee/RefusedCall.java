package dev.repartee;

import dev.repartee.access.Principal;
import dev.repartee.json.Json;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.message.Dialect;
import dev.repartee.message.Id;
import dev.repartee.message.RpcError;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.http.HttpRequest;
import org.jspecify.annotations.Nullable;

/**
 * A request or notification that was refused before its layers and its handler, for {@link
 * Listener#refused}. Contains no params: a message is often refused because there is no memory for
 * a copy of them. Immutable.
 *
 * @param channel the description of the connection
 * @param dialect the protocol of the connection
 * @param attributes the initial attributes of the call
 * @param method the name of the method, which may be any text of the peer; null for a batch that
 *     was refused as a whole, and for a message that is no valid request
 * @param isKnown whether the service has a method of that name
 * @param id the id of the request; null for a notification, and if the message has no valid one
 * @param reason the name of the {@linkplain LimitException#limit limit} that the call exceeds, such
 *     as {@code runningCalls}, or one of the constants of this class
 * @param error the error that the caller gets, unless it gets no answer: for a notification, and
 *     after a cancellation in some dialects
 */
public record RefusedCall(
    ChannelInfo channel,
    Dialect dialect,
    Attributes attributes,
    @Nullable String method,
    boolean isKnown,
    @Nullable Id id,
    String reason,
    RpcError error) {
  /** The caller is not authenticated, or is not allowed to make the call. */
  public static final String ACCESS = "access";

  /** The connection or its server is closing. */
  public static final String CLOSING = "closing";

  /** The executor of the application has rejected the call, or no thread could be started. */
  public static final String EXECUTOR = "executor";

  /** There is no such method. With layers such a call passes through them instead. */
  public static final String METHOD = "method";

  /** The message is JSON but no valid request. */
  public static final String INVALID = "invalid";

  /**
   * The time of {@link Limits#handlerTimeout}, or the time that the caller had left, has passed while
   * the call waited.
   */
  public static final String DEADLINE = "handlerTimeout";

  /** The call would still have waited at its deadline; see {@link Deadlines#shedding}. */
  public static final String WAITING_TIME = "waitingTime";

  /** The caller has cancelled the call while it waited. */
  public static final String CANCELLED = "cancelled";

  /** The transport has refused the message, or the authentication of its caller could not begin. */
  public static final String TRANSPORT = "transport";

  /** Returns the authenticated caller; null if nothing has proved its identity. */
  public @Nullable Principal principal() {
    return attributes.get(Principal.KEY);
  }

  /** Returns the value of a header as {@link Call#header} does. */
  public @Nullable String header(String name) {
    return HttpRequest.header(attributes, name);
  }

  /** Returns an additional member of the message as {@link Call#member} does. */
  public @Nullable Json member(String name) {
    return MessageMembers.in(attributes, name);
  }
}
