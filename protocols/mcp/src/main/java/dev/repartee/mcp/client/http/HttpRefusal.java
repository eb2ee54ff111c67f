package dev.repartee.mcp.client.http;

import dev.repartee.ReparteeException;

/** Reports an answer of HTTP without a message of the protocol. */
public final class HttpRefusal extends ReparteeException {
  private static final long serialVersionUID = 1;

  private final int status;
  private final boolean isSessionLost;

  HttpRefusal(int status, boolean isSessionLost, String message) {
    super(message);
    this.status = status;
    this.isSessionLost = isSessionLost;
  }

  /** Returns the HTTP status. */
  public int status() {
    return status;
  }

  /** Returns whether the server does not know the session any more, and so has run nothing. */
  public boolean isSessionLost() {
    return isSessionLost;
  }

  /**
   * Returns whether the status may be that of a server which does not know the revision or the
   * transport: 400, 404 or 405.
   */
  public boolean isUnknownTransport() {
    return status == 400 || status == 404 || status == 405;
  }
}
