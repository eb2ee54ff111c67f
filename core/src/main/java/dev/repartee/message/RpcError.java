package dev.repartee.message;

import dev.repartee.ProtocolException;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonWriter;
import dev.repartee.json.UnsafeJson;
import org.jspecify.annotations.Nullable;

/**
 * The error object of a response (JSON-RPC 2.0 section 5.1). Immutable.
 *
 * @param code the kind of error; the specification reserves -32768 to -32000
 * @param message a short description, one sentence
 * @param data additional information, or null
 */
public record RpcError(int code, String message, @Nullable Json data) {
  /** Invalid JSON was received. */
  public static final int PARSE_ERROR = -32700;

  /** The received JSON is not a valid request. */
  public static final int INVALID_REQUEST = -32600;

  /** The method does not exist. */
  public static final int METHOD_NOT_FOUND = -32601;

  /** The parameters do not fit the method. */
  public static final int INVALID_PARAMS = -32602;

  /** The handler failed. */
  public static final int INTERNAL_ERROR = -32603;

  /** A code of this library: too many calls are running on this connection. */
  public static final int BUSY = -32000;

  /** A code of this library: a message is larger than its receiver accepts. */
  public static final int TOO_LARGE = -32003;

  /** A code of this library: the call did not finish within its time limit. */
  public static final int DEADLINE_PASSED = -32004;

  /** A code of this library: a stream has ended because its receiver is too slow. */
  public static final int LAGGED = -32005;

  /**
   * The code of the error for a call with an unknown outcome. The connection to the side that ran
   * it was lost before the answer; the call may have run or not.
   */
  public static final int OUTCOME_UNKNOWN = -32006;

  /** A code of this library, adopted from LSP: the caller has cancelled the call. */
  public static final int CANCELLED = -32800;

  /** The code of an error that was received without one, in an envelope such as JSON-RPC 1.0. */
  public static final int NO_CODE = 0;

  /** Creates an error without data. */
  public RpcError(int code, String message) {
    this(code, message, null);
  }

  /**
   * Returns the error for an exceeded limit. Its data are the name and the value of the limit, such
   * as <code>{"limit":"runningCalls","max":100}</code>.
   */
  public static RpcError limit(int code, String message, String limit, long max) {
    return new RpcError(
        code,
        message,
        UnsafeJson.wrap(new JsonWriter()
            .ascii("{\"limit\":")
            .string(limit)
            .ascii(",\"max\":")
            .number(max)
            .put('}')
            .toBytes()));
  }

  /**
   * Returns the error of a response.
   *
   * @throws ProtocolException if it is not a valid error object (JSON-RPC 2.0 section 5.1)
   */
  static RpcError received(Json error) {
    Json code = required(error, "code", Json.Kind.NUMBER);
    Json message = required(error, "message", Json.Kind.STRING);
    try {
      return new RpcError(code.as(int.class), message.as(String.class), error.get("data"));
    } catch (JsonException e) {
      throw new ProtocolException("the member 'code' of the error: " + e.getMessage());
    }
  }

  private static Json required(Json error, String name, Json.Kind kind) {
    Json value = error.get(name);
    if (value == null || value.kind() != kind) {
      throw new ProtocolException("the member '" + name + "' of the error is "
          + (value == null ? "missing" : value.kind().phrase()) + ", but has to be "
          + kind.phrase());
    }
    return value;
  }
}
