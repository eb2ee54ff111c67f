package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * A call that the other side answered with an error; thrown by a handler, it becomes that answer.
 *
 * <p>Everything in it crosses the wire: put nothing there that the peer must not see.
 */
public final class RpcException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient RpcError error;

  /** An error without data. */
  public RpcException(int code, String message) {
    this(new RpcError(code, message));
  }

  /** An error with data, which {@link Json#of} must know how to write. */
  public RpcException(int code, String message, @Nullable Object data) {
    this(new RpcError(code, message, data == null ? null : Json.of(data)));
  }

  /** An error object. */
  public RpcException(RpcError error) {
    super(error.message() + " (" + error.code() + ")");
    this.error = error;
  }

  private RpcException(RpcError error, boolean traced) {
    super(error.message() + " (" + error.code() + ")", null, false, traced);
    this.error = error;
  }

  /** Params that do not fit; no stack trace, since hostile input must stay cheap to refuse. */
  static RpcException invalidParams(String what) {
    return new RpcException(RpcError.invalidParams(what), false);
  }

  /** The error object. */
  public RpcError error() {
    return error;
  }

  /** Its code. */
  public int code() {
    return error.code();
  }

  /** Its data, or null. */
  public @Nullable Json data() {
    return error.data();
  }
}
