package dev.repartee.internal;

/** Runs user callbacks that must not influence the code which notifies them. */
public final class UserCode {
  private UserCode() {}

  /**
   * Runs a callback and discards everything that it throws, also errors. The callback may run on a
   * thread that other connections depend on, and the steps behind it must be done in any case.
   */
  public static void run(Runnable code) {
    try {
      code.run();
    } catch (Throwable e) {
      // Nobody is interested in the failure of a callback.
    }
  }

  /** Closes an object of the application; ignores everything that it throws. */
  public static void close(AutoCloseable resource) {
    try {
      resource.close();
    } catch (Throwable e) {
      // Nobody is interested in the failure of a callback.
    }
  }
}
