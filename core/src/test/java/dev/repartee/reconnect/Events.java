package dev.repartee.reconnect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The events of a peer that reconnects, as texts. */
final class Events implements ReconnectListener {
  final BlockingQueue<String> all = new LinkedBlockingQueue<>();

  @Override
  public void connected(Peer peer, int attempt) {
    all.add("connected " + attempt);
  }

  @Override
  public void disconnected(@Nullable Throwable cause) {
    all.add("disconnected" + (cause == null ? "" : ": " + cause.getMessage()));
  }

  @Override
  public void retrying(int attempt, Duration delay, Throwable cause) {
    all.add("retrying " + attempt + " in " + delay.toMillis() + " ms: " + cause.getMessage());
  }

  @Override
  public void gaveUp(Throwable cause) {
    all.add(String.valueOf(cause.getMessage()));
  }

  String next() throws InterruptedException {
    String next = all.poll(60, TimeUnit.SECONDS);
    assertThat(next).as("an event").isNotNull();
    return next;
  }
}
