package dev.repartee;

import dev.repartee.framing.FrameFault;
import dev.repartee.json.Json;
import dev.repartee.limits.LimitException;
import dev.repartee.message.RpcError;
import org.jspecify.annotations.Nullable;

/** The errors with which the engine itself answers. */
final class Errors {
  /** The error that hides the failure of a handler. */
  static final RpcError INTERNAL = new RpcError(RpcError.INTERNAL_ERROR, "Internal error");

  /** The error for a call without a principal that needs one. */
  static final RpcError UNAUTHENTICATED = new RpcError(401, Admission.UNKNOWN);

  /** The error for a call that its principal may not make. */
  static final RpcError FORBIDDEN = new RpcError(403, "This call is not allowed to its caller");

  private Errors() {}

  /**
   * Returns the error for input that is not JSON or that the framing cannot read, with the reason.
   */
  static RpcError notJson(String what) {
    return new RpcError(RpcError.PARSE_ERROR, "Parse error", Json.of(what));
  }

  /** Returns the error for JSON that is not a valid request, with the reason. */
  static RpcError notARequest(String what) {
    return new RpcError(RpcError.INVALID_REQUEST, "Invalid Request", Json.of(what));
  }

  /**
   * Returns the error for an unknown method.
   *
   * @param hint the remedy; null if the names of the methods are not published
   */
  static RpcError noMethod(@Nullable String hint) {
    Json data = hint == null ? null : Json.of(hint);
    return new RpcError(RpcError.METHOD_NOT_FOUND, "Method not found", data);
  }

  /** Returns the error for a result that is a stream, which the envelope cannot carry. */
  static RpcError streamNeedsJsonRpc2(String method) {
    return notARequest("the result of '" + method + "' is a stream of items, which needs JSON-RPC"
        + " 2.0; this endpoint has another envelope");
  }

  /** Returns the error for a streamed call of a method that another endpoint serves. */
  static RpcError noStream(String method) {
    return notARequest("the result of '" + method
        + "' cannot be streamed here, since the call is passed on; call it without a stream");
  }

  /** Returns the error for params that do not fit the method, with the reason. */
  static RpcError invalidParams(String what) {
    return new RpcError(RpcError.INVALID_PARAMS, "Invalid params", Json.of(what));
  }

  /** Returns the error for input that is not a frame. */
  static RpcError of(FrameFault fault) {
    LimitException limit = fault.limit();
    if (limit == null) {
      return notJson(fault.defect());
    }
    return limit.limit().equals("frameBytes")
        ? RpcError.limit(
            RpcError.TOO_LARGE, "Message too large; send it in parts", limit.limit(), limit.max())
        : RpcError.limit(RpcError.BUSY, "Busy; try again later", limit.limit(), limit.max());
  }
}
