package dev.repartee.acp;

/** Starts daemon threads for code of the application, which may block for a long time. */
final class Aside {
  private Aside() {}

  static void run(String name, Runnable action) {
    Thread thread = new Thread(action, name);
    thread.setDaemon(true);
    thread.start();
  }
}
