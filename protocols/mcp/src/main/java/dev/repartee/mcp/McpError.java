package dev.repartee.mcp;

import dev.repartee.RpcException;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.Revision;
import dev.repartee.mcp.wire.Errors;
import java.util.Arrays;
import java.util.List;

/** The error codes that MCP adds to JSON-RPC (2026-07-28, error codes). */
public final class McpError {
  /** An HTTP header is missing, or differs from the body. */
  public static final int HEADER_MISMATCH = Errors.HEADER_MISMATCH;

  /** The client has not declared a required capability; {@code data} names it. */
  public static final int MISSING_CAPABILITY = Errors.MISSING_CAPABILITY;

  /** The revision is not supported; {@code data} lists the supported revisions. */
  public static final int UNSUPPORTED_VERSION = Errors.UNSUPPORTED_VERSION;

  /** The resource does not exist (before 2026-07-28; -32602 since then). */
  public static final int RESOURCE_NOT_FOUND = -32002;

  /** The user has to visit a page first (2025-11-25); {@code data} has the URL elicitations. */
  public static final int URL_ELICITATION_REQUIRED = -32042;

  private McpError() {}

  /** Returns the error for a call of 2025-11-25 that requires URL elicitations. */
  static RpcException urlRequired(Elicitation... pages) {
    List<Json> told =
        Arrays.stream(pages).map(page -> page.params(Revision.V2025_11_25)).toList();
    return new RpcException(
        URL_ELICITATION_REQUIRED,
        "The user has to visit a page first",
        new JsonObjectBuilder().put("elicitations", told).build());
  }
}
