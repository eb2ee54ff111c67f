package dev.repartee.mcp;

import java.util.concurrent.CompletionException;

/** What stages complete with. */
final class Stages {
  private Stages() {}

  /** Why a stage failed, without what it was wrapped into on its way. */
  static Throwable cause(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
    return cause == null ? failure : cause;
  }
}
