package dev.repartee.acp;

import dev.repartee.RpcException;
import dev.repartee.message.RpcError;
import java.util.Map;

/** The errors that ACP adds to the errors of JSON-RPC. */
public final class AcpErrors {
  /** The code for a request that needs a login first. */
  public static final int AUTH_REQUIRED = -32000;

  /** The code for a request for a file, a session or a terminal that does not exist. */
  public static final int RESOURCE_NOT_FOUND = -32002;

  private AcpErrors() {}

  /** Returns the error for a request without a login: the client has to authenticate first. */
  public static RpcException authRequired() {
    return new RpcException(
        AUTH_REQUIRED, "Authentication required", "send 'authenticate' with an offered method");
  }

  /**
   * Returns the error for a request for a resource that does not exist.
   *
   * @param uri the file, the session or the terminal
   */
  public static RpcException notFound(String uri) {
    return new RpcException(RESOURCE_NOT_FOUND, "Resource not found", Map.of("uri", uri));
  }

  /** Returns the error for invalid params. */
  static RpcException invalid(String reason) {
    return new RpcException(RpcError.INVALID_PARAMS, "Invalid params", reason);
  }

  /** Returns the error for a request that is not allowed in the current state. */
  static RpcException refused(String reason) {
    return new RpcException(RpcError.INVALID_REQUEST, reason);
  }
}
