package dev.repartee.mcp.wire;

import dev.repartee.RpcException;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.message.RpcError;
import java.util.List;

/** The errors that MCP adds to JSON-RPC, and the JSON of an error. */
public final class Errors {
  /** An HTTP header is missing, or differs from the body. */
  public static final int HEADER_MISMATCH = -32020;

  /** The client has not declared a required capability. */
  public static final int MISSING_CAPABILITY = -32021;

  /** The revision is not supported. */
  public static final int UNSUPPORTED_VERSION = -32022;

  /** The server is at a limit. The code is outside of the range that the specification reserves. */
  private static final int BUSY = -31000;

  /** The call exceeded its time limit. */
  private static final int DEADLINE_PASSED = -31004;

  private Errors() {}

  /** Returns the JSON object of an error. */
  public static Json json(RpcError error) {
    return new JsonObjectBuilder()
        .put("code", error.code())
        .put("message", error.message())
        .put("data", error.data())
        .build();
  }

  /** Returns the error of a limit of the server; {@code data} names it. */
  public static RpcError busy(String limit, long max) {
    return limit(BUSY, "Busy; try again later", limit, max);
  }

  /** Returns the error of a handler that exceeded its time limit. */
  static RpcError deadlinePassed(long millis) {
    return limit(DEADLINE_PASSED, "Deadline passed; ask for less", "handlerTimeout", millis);
  }

  private static RpcError limit(int code, String message, String limit, long max) {
    return new RpcError(
        code,
        message,
        new JsonObjectBuilder().put("limit", limit).put("max", max).build());
  }

  /** Returns the error of an HTTP header that is missing or differs from the body. */
  public static RpcException headerMismatch(String what) {
    return new RpcException(HEADER_MISMATCH, "Header mismatch: " + what);
  }

  /** Returns the error of capabilities that the client has not declared. */
  public static RpcException missing(Json capabilities) {
    return new RpcException(
        MISSING_CAPABILITY,
        "The client has not declared a capability that this needs",
        new JsonObjectBuilder().put("requiredCapabilities", capabilities).build());
  }

  /** Returns the error of an unsupported revision. */
  public static RpcException unsupportedVersion(String requested, List<String> supported) {
    return new RpcException(
        UNSUPPORTED_VERSION,
        "Unsupported protocol version; send one of " + String.join(", ", supported),
        new JsonObjectBuilder()
            .put("supported", supported)
            .put("requested", requested)
            .build());
  }
}
