package dev.repartee.cli.terminal;

/** An action for a signal that ends the process, such as Ctrl-C. */
public final class SignalHook {
  private final Thread hook;

  /**
   * Adds the hook.
   *
   * @param name the name of the thread of the action
   */
  public SignalHook(String name, Runnable action) {
    hook = new Thread(action, name);
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Removes the hook, unless a signal has started the action. */
  public void remove() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException terminating) {
      // The JVM is shutting down.
    }
  }
}
