package dev.repartee.spring;

import org.jspecify.annotations.Nullable;

/** A mistake of the application or its properties, because of which it cannot start. */
final class RpcSetupException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String action;

  /**
   * Creates an exception.
   *
   * @param description one sentence that names the bean, method or property
   * @param action the remedy
   */
  RpcSetupException(String description, String action, @Nullable Throwable cause) {
    super(description, cause);
    this.action = action;
  }

  String action() {
    return action;
  }
}
