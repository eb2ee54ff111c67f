package dev.repartee.agents.internal;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Unwraps the exceptions of futures. */
public final class Causes {
  private Causes() {}

  /** Returns the exception inside the wrappers of {@code java.util.concurrent}. */
  public static Throwable of(Throwable thrown) {
    Throwable e = thrown;
    while ((e instanceof CompletionException || e instanceof ExecutionException)
        && e.getCause() != null) {
      e = e.getCause();
    }
    return e;
  }
}
