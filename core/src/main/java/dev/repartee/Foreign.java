package dev.repartee;

/** Code of the user that is told something and has no say in what follows. */
final class Foreign {
  private Foreign() {}

  /**
   * Runs it and drops what it throws, errors too: it may run on a thread that others depend on, and
   * what has to be done after it is done all the same.
   */
  static void run(Runnable code) {
    try {
      code.run();
    } catch (Throwable e) {
      // Who failed has nobody to tell.
    }
  }
}
