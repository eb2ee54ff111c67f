package dev.repartee.balance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The changes of the endpoints, as texts. */
final class Changes implements BalanceListener {
  final BlockingQueue<String> all = new LinkedBlockingQueue<>();

  @Override
  public void available(String endpoint) {
    all.add("available " + endpoint);
  }

  @Override
  public void unavailable(String endpoint, Throwable cause) {
    all.add("unavailable " + endpoint + ": " + cause.getMessage());
  }

  String next() throws InterruptedException {
    String next = all.poll(60, TimeUnit.SECONDS);
    assertThat(next).as("an event").isNotNull();
    return next;
  }

  /** Waits until so many endpoints are available. */
  void awaitAvailable(int endpoints) throws InterruptedException {
    for (int i = 0; i < endpoints; i++) {
      assertThat(next()).startsWith("available ");
    }
  }
}
