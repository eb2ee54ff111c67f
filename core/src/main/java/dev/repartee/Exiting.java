package dev.repartee;

/**
 * Recognises a thread that has called {@link System#exit}. It waits until the JVM has ended, and so
 * never returns from that call.
 */
final class Exiting {
  private Exiting() {}

  /** Returns whether a thread, which may be virtual, waits for the end of the JVM. */
  static boolean is(Thread thread) {
    for (StackTraceElement frame : thread.getStackTrace()) {
      if (frame.getClassName().equals("java.lang.Shutdown")) {
        return true;
      }
    }
    return false;
  }
}
