package dev.repartee.acp;

import dev.repartee.RpcError;
import dev.repartee.RpcException;
import java.util.Map;

/** The errors that ACP defines besides those of JSON-RPC. */
public final class AcpErrors {
  /** The code of the answer to a request that needs a login first. */
  public static final int AUTH_REQUIRED = -32000;

  /** The code of the answer to a request for a file, a session or a terminal that is not there. */
  public static final int RESOURCE_NOT_FOUND = -32002;

  private AcpErrors() {}

  /** Returns an exception for the answer that the client has to send {@code authenticate} first. */
  public static RpcException authRequired() {
    return new RpcException(
        AUTH_REQUIRED, "Authentication required", "send 'authenticate' with an offered method");
  }

  /**
   * Returns an exception for the answer that something is not there.
   *
   * @param uri the file, the session or the terminal
   */
  public static RpcException notFound(String uri) {
    return new RpcException(RESOURCE_NOT_FOUND, "Resource not found", Map.of("uri", uri));
  }

  /** Returns an exception for the answer that the params are wrong. */
  static RpcException invalid(String why) {
    return new RpcException(RpcError.INVALID_PARAMS, "Invalid params", why);
  }

  /** Returns an exception for the answer that the request is not possible in this state. */
  static RpcException refused(String why) {
    return new RpcException(RpcError.INVALID_REQUEST, why);
  }
}
