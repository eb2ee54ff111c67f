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

  /**
   * Returns the message of an exception inside such wrappers, without the name of its class; only the
   * name if there is no message. For exceptions with messages for people, such as those of journals.
   */
  public static String message(Throwable thrown) {
    Throwable e = of(thrown);
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }
}
