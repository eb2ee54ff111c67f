package dev.repartee.internal;

import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs user callbacks that must not influence the code which notifies them, and actions that must
 * not keep each other from running; finds the failure of a stage.
 */
public final class UserCode {
  private UserCode() {}

  /**
   * Runs a callback and discards everything that it throws, even errors. The callback may run on a
   * thread that other connections depend on, and the steps after it must be done in any case.
   */
  public static void run(Runnable code) {
    try {
      code.run();
    } catch (Throwable e) {
      // A failure of user code must not affect its caller.
    }
  }

  /**
   * Runs all actions in their order, also after one has failed. For the actions at the end of a
   * connection: each of them releases something that nothing else releases.
   *
   * @return the first failure; null if there was none
   */
  public static @Nullable Throwable runAll(Runnable... actions) {
    return forEach(List.of(actions), Runnable::run);
  }

  /**
   * Runs an action for each element in their order, also after it has failed for one.
   *
   * @return the first failure; null if there was none
   */
  public static <T> @Nullable Throwable forEach(
      Iterable<? extends T> elements, Consumer<T> action) {
    Throwable first = null;
    for (T element : elements) {
      try {
        action.accept(element);
      } catch (Throwable e) {
        first = first == null ? e : first;
      }
    }
    return first;
  }

  /** Returns the exception that a stage has wrapped, or the exception itself. */
  public static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  /** Closes an object of the application; ignores everything that it throws. */
  public static void close(AutoCloseable resource) {
    try {
      resource.close();
    } catch (Throwable e) {
      // A failure of user code must not affect its caller.
    }
  }
}
