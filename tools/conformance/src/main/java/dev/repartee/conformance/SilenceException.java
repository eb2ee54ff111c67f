package dev.repartee.conformance;

import java.io.IOException;

/** Thrown if the server accepts connections and answers nothing on them. */
final class SilenceException extends IOException {
  private static final long serialVersionUID = 1;

  SilenceException(String message) {
    super(message);
  }
}
