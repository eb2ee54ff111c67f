package dev.repartee.testkit.attack;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A client that calls {@code subtract} all the time, one call after another, while a test attacks
 * the server. It shows that other clients are not affected. It has its own thread. It pauses for
 * 2 ms between two calls, unless a test waits for calls.
 */
public final class WellBehavedClient implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Without a pause, the calls would take the CPU time that the server and the test need. */
  private static final long PAUSE_MILLIS = 2;

  private final Peer peer;
  private final Thread thread = new Thread(this::callRepeatedly, "well-behaved-client");

  // The monitor of this object guards these fields.
  private int served;
  private int waiting;
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
      } while (recordCall());
    } catch (Throwable e) {
      recordFailure(e);
    }
  }

  private synchronized void recordFailure(Throwable why) {
    failure = why;
    notifyAll();
  }

  /** Returns whether to make another call. */
  private synchronized boolean recordCall() throws InterruptedException {
    served++;
    notifyAll();
    if (waiting == 0 && !over) {
      wait(PAUSE_MILLIS); // a call that is too early does no harm
    }
    return !over;
  }

  /** Waits until {@code calls} more calls were answered; fails the test if a call fails. */
  public synchronized void awaitServed(int calls) throws InterruptedException {
    int enough = served + calls;
    waiting++;
    notifyAll();
    try {
      while (served < enough && failure == null) {
        wait();
      }
    } finally {
      waiting--;
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
      notifyAll();
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
