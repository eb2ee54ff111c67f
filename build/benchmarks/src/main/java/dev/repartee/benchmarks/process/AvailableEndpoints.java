package dev.repartee.benchmarks.process;

import dev.repartee.balance.BalanceListener;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** The endpoints of a peer of several endpoints that are available. Thread-safe. */
public final class AvailableEndpoints implements BalanceListener {
  /** The maximum time until a change, sufficient on a busy machine. */
  private static final long PATIENCE = TimeUnit.MINUTES.toNanos(2);

  private final Set<String> available = new HashSet<>();

  /** Creates a listener for a peer without available endpoints. */
  public AvailableEndpoints() {}

  @Override
  public synchronized void available(String endpoint) {
    available.add(endpoint);
    notifyAll();
  }

  @Override
  public synchronized void unavailable(String endpoint, Throwable cause) {
    available.remove(endpoint);
    notifyAll();
  }

  /** Returns whether an endpoint is available. */
  public synchronized boolean contains(String endpoint) {
    return available.contains(endpoint);
  }

  /**
   * Waits until an endpoint is available, or is not.
   *
   * @throws IOException if nothing has changed for two minutes
   */
  public synchronized void await(String endpoint, boolean isAvailable)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + PATIENCE;
    while (contains(endpoint) != isAvailable) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        throw new IOException(endpoint + " is not " + (isAvailable ? "" : "un") + "available");
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }
}
