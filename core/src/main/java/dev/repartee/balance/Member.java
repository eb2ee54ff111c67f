package dev.repartee.balance;

import dev.repartee.Peer;
import dev.repartee.reconnect.ReconnectListener;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * One endpoint of a {@link Balancer}: its connections, which a peer of the package {@code reconnect}
 * opens, and its health. The lock of the balancer guards the fields, except where noted.
 */
final class Member implements ReconnectListener {
  private final Balancer balancer;

  /** The URI without secrets. */
  final String name;

  /** The number that {@link Policy#sticky} mixes with its keys. */
  final long seed;

  /** Opens the connections; set once, before any event. */
  private @Nullable Peer connections;

  /** The peer of the present connection; null if there is none. Read without the lock. */
  private volatile @Nullable Peer peer;

  /** Whether too many pings or calls have failed since the last answer. */
  boolean isEjected;

  /** The number of pings and calls that have failed since the last answer. */
  int failures;

  /** The number of answers over the connection at the last failure. */
  long answers;

  /** Whether the first attempt to connect has ended. */
  boolean wasTried;

  /** Whether no further attempt to connect follows. */
  boolean isOver;

  /** Whether the last report says that this endpoint takes calls; null before the first report. */
  @Nullable Boolean isReported;

  /** The reports for the listener that were not sent yet, and whether a thread sends them. */
  final Queue<Runnable> reports = new ArrayDeque<>();

  boolean isReporting;

  /** The last failure; null if there was none. */
  @Nullable Throwable reason;

  Member(Balancer balancer, String uri) {
    this.balancer = balancer;
    this.name = Endpoint.shown(uri);
    this.seed = Policy.hash(uri);
  }

  void connections(Peer connections) {
    this.connections = connections;
  }

  @Nullable Peer connections() {
    return connections;
  }

  @Nullable Peer peer() {
    return peer;
  }

  void peer(@Nullable Peer present) {
    peer = present;
  }

  /** Returns whether the endpoint takes calls. */
  boolean isAvailable() {
    return peer != null && !isEjected;
  }

  /** Returns whether a call can be sent to the endpoint. */
  boolean isUsable() {
    Peer present = peer;
    return isAvailable() && present != null && present.isOpen();
  }

  @Override
  public void connected(Peer connection, int attempt) {
    balancer.connected(this, connection);
  }

  @Override
  public void disconnected(@Nullable Throwable cause) {
    balancer.lost(
        this, cause == null ? new IOException("the other side has ended the connection") : cause);
  }

  @Override
  public void retrying(int attempt, Duration delay, Throwable cause) {
    balancer.lost(this, cause);
  }

  @Override
  public void gaveUp(Throwable cause) {
    balancer.gaveUp(this, cause);
  }
}
