package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * The base of all failures of a call: {@code catch (ReparteeException e)} catches each of them,
 * from {@link Peer#call}, proxies, futures and streams. The kinds:
 *
 * <ul>
 *   <li>{@link RemoteRpcException}: the other side answered with an error. Its base {@link
 *       RpcException} is the error that a handler throws.
 *   <li>{@link CallTimeoutException}: no answer arrived in time.
 *   <li>{@link dev.repartee.transport.DisconnectedException}: the connection has ended.
 *   <li>{@link ProtocolException}: the other side sent something other than a valid response; over
 *       HTTP an {@link HttpException} with the status.
 *   <li>{@link dev.repartee.limits.LimitException}: a limit of this side was exceeded.
 *   <li>{@link dev.repartee.json.JsonException}: the result does not fit the type.
 *   <li>{@link dev.repartee.stream.LaggedException}: the receiver of a stream was too slow.
 * </ul>
 *
 * <p>Mistakes in the program, such as a call on a thread that must not wait, are {@link
 * IllegalStateException}s and {@link IllegalArgumentException}s; a cancelled call fails with {@link
 * java.util.concurrent.CancellationException}.
 */
public abstract class ReparteeException extends RuntimeException {
  // All packages of core use this class. It uses none of them, since packages must not depend on
  // each other in a cycle (ArchitectureTest).

  private static final long serialVersionUID = 1;

  /** Creates an exception. */
  protected ReparteeException(@Nullable String message) {
    super(message);
  }

  /** Creates an exception with a cause. */
  protected ReparteeException(@Nullable String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** Creates an exception, with or without a stack trace. */
  protected ReparteeException(
      @Nullable String message, @Nullable Throwable cause, boolean suppressible, boolean traced) {
    super(message, cause, suppressible, traced);
  }

  /**
   * Returns the reason why the call was certainly not handled; null if the other side may have
   * handled it, or if this is not known. A call that was not handled can be sent again without harm,
   * also if it is not idempotent. The reason is a clause such as "the queue is full". It names no
   * address, because gateways pass it on to their clients.
   */
  public @Nullable String unsent() {
    return null;
  }

  /**
   * Returns whether a call with this failure was certainly not handled: whether the failure is of
   * this class, and {@link #unsent} returns a reason. False for null.
   */
  public static boolean isUnsent(@Nullable Throwable failure) {
    return failure instanceof ReparteeException known && known.unsent() != null;
  }
}
