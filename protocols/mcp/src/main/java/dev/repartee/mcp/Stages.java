package dev.repartee.mcp;

import java.util.concurrent.CompletionException;

/** Unwraps the failures of completion stages. */
final class Stages {
  private Stages() {}

  /** Returns the cause of a stage's failure without its {@link CompletionException}. */
  static Throwable cause(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
    return cause == null ? failure : cause;
  }
}
