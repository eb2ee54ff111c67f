package dev.repartee.reconnect;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A clock that stands still, and a timer whose tasks the test runs on its own thread. */
final class ManualTiming implements Timing {
  /** A task of the timer. */
  record Planned(Duration delay, Runnable task) {}

  private final BlockingQueue<Planned> planned = new LinkedBlockingQueue<>();
  volatile long now;
  volatile double random = 0.5;
  volatile int cancelled;

  @Override
  public long nanos() {
    return now;
  }

  @Override
  public double random() {
    return random;
  }

  @Override
  public synchronized Runnable after(Duration delay, Runnable task) {
    planned.add(new Planned(delay, task));
    return this::cancel;
  }

  private synchronized void cancel() {
    cancelled++;
  }

  void pass(Duration time) {
    now += time.toNanos();
  }

  /** Waits until an attempt is planned. */
  Planned next() throws InterruptedException {
    Planned next = planned.poll(20, TimeUnit.SECONDS);
    assertThat(next).as("a planned attempt").isNotNull();
    return next;
  }

  @Nullable Planned poll() {
    return planned.poll();
  }
}
