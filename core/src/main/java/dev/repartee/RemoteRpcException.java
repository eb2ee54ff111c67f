package dev.repartee;

import dev.repartee.message.Dialect;
import dev.repartee.message.Response;
import dev.repartee.message.RpcError;
import org.jspecify.annotations.Nullable;

/**
 * Reports that the other side answered a call with an error. The message names the method and the
 * other side.
 *
 * <p>If this exception escapes from a handler, the error is not passed on: the caller gets -32603,
 * and the {@link Listener} gets the exception. The error may contain secrets of the other side, and
 * an unknown method there is not an unknown method here. To pass it on all the same, throw {@code
 * new RpcException(e.error())}. If it is the refusal of a server that closes, its data are not
 * passed on: they would say that the call of this handler did not run.
 */
public final class RemoteRpcException extends RpcException {
  private static final long serialVersionUID = 1;

  private final String method;
  private final boolean isClosing;

  /**
   * Creates an exception, for a protocol whose errors also arrive without a {@link Response}, such
   * as in the body of an HTTP response.
   *
   * @param method the name of the method that was called
   * @param remote the name of the other side, for people
   * @param error the error
   */
  public RemoteRpcException(String method, String remote, RpcError error) {
    this(method, remote, error, Dialect.PLAIN);
  }

  /** Creates an exception for an error in a dialect, which has its own code for refused calls. */
  public RemoteRpcException(String method, String remote, RpcError error, Dialect dialect) {
    super("'" + method + "' of " + remote, error);
    this.method = method;
    this.isClosing = Ending.isClosing(error, dialect);
  }

  /** Not null if the server has refused the call because it closes. */
  @Override
  public @Nullable String unsent() {
    return isClosing ? "the server is closing" : null;
  }

  /** Returns the name of the method that was called. */
  public String method() {
    return method;
  }
}
