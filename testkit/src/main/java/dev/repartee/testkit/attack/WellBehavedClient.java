package dev.repartee.testkit.attack;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A client that calls {@code subtract} all the time, one call after another, while a test attacks
 * the server. It shows that other clients are not affected. It has its own thread.
 */
public final class WellBehavedClient implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Peer peer;
  private final Thread thread = new Thread(this::callRepeatedly, "well-behaved-client");
  private int served;
  private boolean over;
  private @Nullable Throwable failure;

  private WellBehavedClient(Peer peer) {
    this.peer = peer;
  }

  /** Connects to a server and starts to call it. */
  public static WellBehavedClient at(String uri) throws IOException {
    WellBehavedClient client = new WellBehavedClient(Repartee.connect(uri));
    client.thread.setDaemon(true);
    client.thread.start();
    return client;
  }

  private void callRepeatedly() {
    try {
      int i = 0;
      do {
        i++;
        int difference = peer.request("subtract").args(i, 1).timeout(PATIENCE).call(int.class);
        if (difference != i - 1) {
          throw new AssertionError("subtract answers " + difference + " in place of " + (i - 1));
        }
      } while (recordCall(null));
    } catch (Throwable e) {
      recordCall(e);
    }
  }

  private synchronized boolean recordCall(@Nullable Throwable why) {
    if (why == null) {
      served++;
    }
    failure = why;
    notifyAll();
    return !over;
  }

  /** Waits until {@code calls} more calls were answered; fails the test if a call fails. */
  public synchronized void awaitServed(int calls) throws InterruptedException {
    int enough = served + calls;
    while (served < enough && failure == null) {
      wait();
    }
    assertWell();
  }

  private void assertWell() {
    if (failure != null) {
      throw new AssertionError("a well-behaved client was not served: " + failure, failure);
    }
  }

  /** Stops calling and disconnects; fails the test if a call did not get the right result. */
  @Override
  public void close() {
    synchronized (this) {
      over = true;
    }
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted while waiting for the client to end", e);
    }
    peer.close();
    assertWell();
  }
}
