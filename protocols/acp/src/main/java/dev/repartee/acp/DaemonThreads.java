package dev.repartee.acp;

/** Starts daemon threads for the code of the application, since it may block for a long time. */
final class DaemonThreads {
  private DaemonThreads() {}

  static void start(String name, Runnable action) {
    Thread thread = new Thread(action, name);
    thread.setDaemon(true);
    thread.start();
  }
}
