package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * The error object of a response (JSON-RPC 2.0 section 5.1).
 *
 * @param code what happened; -32768 to -32000 are reserved by the specification
 * @param message one sentence
 * @param data more about it, or null
 */
public record RpcError(int code, String message, @Nullable Json data) {
  /** The text received is not JSON. */
  public static final int PARSE_ERROR = -32700;

  /** The JSON received is not a request. */
  public static final int INVALID_REQUEST = -32600;

  /** There is no such method. */
  public static final int METHOD_NOT_FOUND = -32601;

  /** The parameters do not fit the method. */
  public static final int INVALID_PARAMS = -32602;

  /** The handler failed. */
  public static final int INTERNAL_ERROR = -32603;

  /** Our own: too many calls are running on this connection. */
  public static final int BUSY = -32000;

  /** Our own: a message is larger than the receiver takes. */
  public static final int TOO_LARGE = -32003;

  /** Our own: the call was not finished within its time. */
  public static final int DEADLINE_PASSED = -32004;

  /** Our own, after LSP: the caller cancelled the call. */
  public static final int CANCELLED = -32800;

  static final RpcError INTERNAL = new RpcError(INTERNAL_ERROR, "Internal error");

  /** An error without data. */
  public RpcError(int code, String message) {
    this(code, message, null);
  }

  /** Text that is not JSON, or that holds no message, and where and why. */
  static RpcError notJson(String what) {
    return new RpcError(PARSE_ERROR, "Parse error", Json.of(what));
  }

  /** JSON that is no request, and why. */
  static RpcError notARequest(String what) {
    return new RpcError(INVALID_REQUEST, "Invalid Request", Json.of(what));
  }

  /** No such method; where those there are can be asked for, how. */
  static RpcError noMethod(boolean discoverable) {
    Json data = discoverable ? Json.of("rpc.discover lists the methods there are") : null;
    return new RpcError(METHOD_NOT_FOUND, "Method not found", data);
  }

  /** Parameters that do not fit, and which one. */
  static RpcError invalidParams(String what) {
    return new RpcError(INVALID_PARAMS, "Invalid params", Json.of(what));
  }

  /** A limit that was passed, named in the data. */
  static RpcError limit(int code, String message, String limit, long max) {
    return new RpcError(
        code,
        message,
        Json.wrap(new Output()
            .ascii("{\"limit\":")
            .string(limit)
            .ascii(",\"max\":")
            .number(max)
            .put('}')
            .toBytes()));
  }
}
