package dev.repartee.internal;

/**
 * Recognises a thread that has called {@link System#exit}. This call waits for the end of the JVM
 * and never returns.
 */
public final class Exiting {
  private Exiting() {}

  /** Returns whether a thread, which may be virtual, waits for the end of the JVM. */
  public static boolean is(Thread thread) {
    for (StackTraceElement frame : thread.getStackTrace()) {
      if (frame.getClassName().equals("java.lang.Shutdown")) {
        return true;
      }
    }
    return false;
  }
}
