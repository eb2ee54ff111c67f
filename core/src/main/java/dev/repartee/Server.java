package dev.repartee;

import java.time.Duration;
import java.util.Set;

/** A service at an endpoint, with the connections it has. */
public final class Server implements AutoCloseable {
  Server() {}

  /** The endpoint, with the real port where 0 was asked for. */
  public Endpoint endpoint() {
    throw new UnsupportedOperationException();
  }

  /** The connections open now. */
  public Set<Peer> peers() {
    throw new UnsupportedOperationException();
  }

  /** Stops as {@link #close(Duration)} does, within {@link Limits#closeTimeout}. */
  @Override
  public void close() {}

  /**
   * Accepts nothing more, lets running calls finish for that long at most, then ends the connections.
   */
  public void close(Duration limit) {}
}
