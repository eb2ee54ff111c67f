package dev.repartee.benchmarks.soak;

import java.time.Duration;
import java.util.List;
import java.util.function.IntSupplier;

/** A client of a soak: repeats a step until it is told to finish. */
abstract class SoakThread extends Thread {
  /** The maximum time to the end of a client, sufficient on a busy machine. */
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  final Account account;
  private volatile boolean over;

  SoakThread(String name, Account account) {
    super(name);
    this.account = account;
  }

  abstract void step() throws InterruptedException;

  /** Called after the last step. */
  void last() throws InterruptedException {}

  final boolean isOver() {
    return over;
  }

  @Override
  public final void run() {
    try {
      while (!over) {
        step();
      }
      last();
    } catch (InterruptedException e) {
      // An interrupt also ends the client.
    } catch (RuntimeException e) {
      account.fault("a client has failed: " + e);
    }
  }

  /** Disturbs the clients. */
  interface Mischief {
    void run() throws Exception;
  }

  /**
   * Runs clients for {@code time} and disturbs them; then ends all.
   *
   * @param pause returns the milliseconds before the next mischief
   */
  static void traffic(
      List<? extends SoakThread> clients, Duration time, IntSupplier pause, Mischief mischief)
      throws Exception {
    clients.forEach(Thread::start);
    long end = System.nanoTime() + time.toNanos();
    for (long left = time.toMillis(); left > 0; left = (end - System.nanoTime()) / 1_000_000) {
      Thread.sleep(Math.min(left, pause.getAsInt()));
      mischief.run();
    }
    for (SoakThread client : clients) {
      client.over = true;
    }
    for (SoakThread client : clients) {
      client.join(PATIENCE.toMillis());
    }
  }
}
