package dev.repartee.broker;

/** Explains the exceptions of client libraries, which wrap the reason several times. */
public final class Causes {
  private Causes() {}

  /** Returns the innermost cause of an exception. */
  public static Throwable innermost(Throwable e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }

  /** Returns the message of the innermost cause of an exception, or its name if it has none. */
  public static String text(Throwable e) {
    Throwable root = innermost(e);
    String message = root.getMessage();
    return message == null || message.isBlank() ? root.getClass().getSimpleName() : message;
  }
}
