package dev.repartee.mcp.oauth;

import dev.repartee.internal.Text;
import org.jspecify.annotations.Nullable;

/**
 * Reports that a client could not be authorized, with the reason. The message contains no token,
 * code or secret.
 */
public final class AuthorizationException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The maximum number of characters of a foreign text in a message. */
  private static final int TOLD = 200;

  private final @Nullable String error;

  AuthorizationException(String message) {
    this(message, null, null);
  }

  AuthorizationException(String message, @Nullable Throwable cause) {
    this(message, null, cause);
  }

  AuthorizationException(String message, @Nullable String error, @Nullable Throwable cause) {
    super(message, cause);
    this.error = error;
  }

  /**
   * Returns the error code of OAuth, such as {@code invalid_grant} or {@code access_denied}, if the
   * authorization server has answered with one; otherwise null.
   */
  public @Nullable String error() {
    return error;
  }

  /** Returns a foreign text for a message: one line of limited length. */
  static String told(String text) {
    return Text.shortened(text.replaceAll("[\\p{C}\\p{Z}]+", " ").strip(), TOLD);
  }
}
