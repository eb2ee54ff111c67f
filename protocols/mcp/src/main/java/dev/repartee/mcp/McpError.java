package dev.repartee.mcp;

import dev.repartee.Json;
import dev.repartee.RpcError;
import dev.repartee.RpcException;
import java.util.Arrays;
import java.util.List;

/** The errors that the protocol adds to those of JSON-RPC (2026-07-28, error codes). */
public final class McpError {
  /** A header says something else than the body, or is missing. */
  public static final int HEADER_MISMATCH = -32020;

  /** The client has not declared what the request needs; {@code data} says what. */
  public static final int MISSING_CAPABILITY = -32021;

  /** A revision that is not spoken here; {@code data} lists those that are. */
  public static final int UNSUPPORTED_VERSION = -32022;

  /** No such resource, before 2026-07-28; since then that is -32602. */
  public static final int RESOURCE_NOT_FOUND = -32002;

  /** The user has to visit a page first (2025-11-25); {@code data} says which. */
  public static final int URL_ELICITATION_REQUIRED = -32042;

  /** More calls run than may; outside of what the specification reserves. */
  static final int BUSY = -31000;

  /** The call took longer than it may. */
  static final int DEADLINE_PASSED = -31004;

  private McpError() {}

  /** What a call of 2025-11-25 fails with whose user has to visit pages first. */
  static RpcException urlRequired(Elicitation... pages) {
    List<Json> told =
        Arrays.stream(pages).map(page -> page.params(Revision.V2025_11_25)).toList();
    return new RpcException(
        URL_ELICITATION_REQUIRED,
        "The user has to visit a page first",
        new Members().put("elicitations", told).json());
  }

  /** The form of an error on the wire. */
  static Json json(RpcError error) {
    return new Members()
        .put("code", error.code())
        .put("message", error.message())
        .put("data", error.data())
        .json();
  }

  static RpcError busy(String limit, long max) {
    return new RpcError(
        BUSY,
        "Busy; try again later",
        new Members().put("limit", limit).put("max", max).json());
  }

  static RpcException headerMismatch(String what) {
    return new RpcException(HEADER_MISMATCH, "Header mismatch: " + what);
  }

  static RpcException missing(Json capabilities) {
    return new RpcException(
        MISSING_CAPABILITY,
        "The client has not declared a capability that this needs",
        new Members().put("requiredCapabilities", capabilities).json());
  }

  static RpcException unsupportedVersion(String requested) {
    List<String> supported = Revision.labels(true);
    return new RpcException(
        UNSUPPORTED_VERSION,
        "Unsupported protocol version; send one of " + String.join(", ", supported),
        new Members().put("supported", supported).put("requested", requested).json());
  }
}
