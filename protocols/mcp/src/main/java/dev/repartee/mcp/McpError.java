package dev.repartee.mcp;

import dev.repartee.RpcError;
import dev.repartee.RpcException;
import dev.repartee.json.Json;
import java.util.Arrays;
import java.util.List;

/** The error codes that MCP adds to those of JSON-RPC (2026-07-28, error codes). */
public final class McpError {
  /** An HTTP header is missing, or differs from the body. */
  public static final int HEADER_MISMATCH = -32020;

  /** The client has not declared a required capability; {@code data} names it. */
  public static final int MISSING_CAPABILITY = -32021;

  /** The revision is not supported; {@code data} lists the supported ones. */
  public static final int UNSUPPORTED_VERSION = -32022;

  /** There is no such resource (before 2026-07-28; -32602 since then). */
  public static final int RESOURCE_NOT_FOUND = -32002;

  /** The user has to visit a page first (2025-11-25); {@code data} has the URL elicitations. */
  public static final int URL_ELICITATION_REQUIRED = -32042;

  /** The server is at a limit. The code is outside of the range that the specification reserves. */
  static final int BUSY = -31000;

  /** The call exceeded its time limit. */
  static final int DEADLINE_PASSED = -31004;

  private McpError() {}

  /** Returns the error for a call of 2025-11-25 that requires URL elicitations. */
  static RpcException urlRequired(Elicitation... pages) {
    List<Json> told =
        Arrays.stream(pages).map(page -> page.params(Revision.V2025_11_25)).toList();
    return new RpcException(
        URL_ELICITATION_REQUIRED,
        "The user has to visit a page first",
        new JsonObjectWriter().put("elicitations", told).json());
  }

  /** Returns the JSON object of an error. */
  static Json json(RpcError error) {
    return new JsonObjectWriter()
        .put("code", error.code())
        .put("message", error.message())
        .put("data", error.data())
        .json();
  }

  static RpcError busy(String limit, long max) {
    return new RpcError(
        BUSY,
        "Busy; try again later",
        new JsonObjectWriter().put("limit", limit).put("max", max).json());
  }

  static RpcException headerMismatch(String what) {
    return new RpcException(HEADER_MISMATCH, "Header mismatch: " + what);
  }

  static RpcException missing(Json capabilities) {
    return new RpcException(
        MISSING_CAPABILITY,
        "The client has not declared a capability that this needs",
        new JsonObjectWriter().put("requiredCapabilities", capabilities).json());
  }

  static RpcException unsupportedVersion(String requested) {
    List<String> supported = Revision.labels(true);
    return new RpcException(
        UNSUPPORTED_VERSION,
        "Unsupported protocol version; send one of " + String.join(", ", supported),
        new JsonObjectWriter()
            .put("supported", supported)
            .put("requested", requested)
            .json());
  }
}
