package dev.repartee.telemetry;

import dev.repartee.Peer;
import dev.repartee.balance.BalanceListener;
import dev.repartee.reconnect.ReconnectListener;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The events of the connections of clients, as both metrics libraries count them. */
interface ClientEvents {
  /** The name of the metric of calls without an answer. */
  String RUNNING = "repartee.client.calls.running";

  /** The description of {@link #RUNNING}. */
  String RUNNING_TEXT = "Calls of clients without an answer yet";

  /** The name of the counter of {@link #lost}. */
  String LOST = "repartee.client.connections.lost";

  /** The description of {@link #LOST}. */
  String LOST_TEXT = "Connections of clients that were lost";

  /** The name of the counter of {@link #restored}. */
  String RESTORED = "repartee.client.reconnects";

  /** The description of {@link #RESTORED}. */
  String RESTORED_TEXT = "Connections of clients that replace a lost one";

  /** The maximum number of endpoints that are values of a tag. */
  int ENDPOINTS = 100;

  /** Counts a connection to an endpoint that was lost. */
  void lost(String endpoint);

  /** Counts a connection to an endpoint that replaces a lost one. */
  void restored(String endpoint);

  /** Returns a listener that counts the connections of a peer that reconnects. */
  static ReconnectListener of(String endpoint, ReconnectListener next, ClientEvents to) {
    return new ReconnectListener() {
      private volatile boolean lost;

      @Override
      public void connected(Peer peer, int attempt) {
        if (lost) {
          lost = false;
          to.restored(endpoint);
        }
        next.connected(peer, attempt);
      }

      @Override
      public void disconnected(@Nullable Throwable cause) {
        lost = true;
        to.lost(endpoint);
        next.disconnected(cause);
      }

      @Override
      public void retrying(int attempt, Duration delay, Throwable cause) {
        next.retrying(attempt, delay, cause);
      }

      @Override
      public void gaveUp(Throwable cause) {
        next.gaveUp(cause);
      }
    };
  }

  /** Returns a listener that counts the connections of a balanced peer. */
  static BalanceListener of(BalanceListener next, ClientEvents to) {
    return new BalanceListener() {
      /** The endpoints that were available before. */
      private final Set<String> open = ConcurrentHashMap.newKeySet();

      private final Set<String> lost = ConcurrentHashMap.newKeySet();

      @Override
      public void available(String endpoint) {
        open.add(endpoint);
        if (lost.remove(endpoint)) {
          to.restored(endpoint);
        }
        next.available(endpoint);
      }

      @Override
      public void unavailable(String endpoint, Throwable cause) {
        if (open.remove(endpoint)) { // otherwise it was not available yet
          lost.add(endpoint);
          to.lost(endpoint);
        }
        next.unavailable(endpoint, cause);
      }
    };
  }
}
