package dev.repartee.a2a.server;

import dev.repartee.a2a.wire.Errors;
import dev.repartee.limits.ClientShares;

/**
 * The places of the turns that run at the same time. The clients share the places as {@link
 * ClientShares} describes: a client may use at most half of them. Thread-safe.
 */
final class RunningTurns {
  private final int most;

  // Guarded by this.
  private final ClientShares shares;
  private long last;

  /**
   * @param most the number of places
   */
  RunningTurns(int most) {
    this.most = most;
    this.shares = new ClientShares(most, Long.MAX_VALUE);
  }

  /**
   * Reserves a place.
   *
   * @return the name of the place, for {@link #leave}
   * @throws dev.repartee.RpcException if no place is free for the client
   */
  synchronized String enter(Client client) {
    String place = String.valueOf(++last);
    ClientShares.Use running = ClientShares.Use.RUNNING;
    if (shares.makeRoom(place, client.share(), 0, running, old -> {}) != null) {
      throw Errors.busy("runningTasks", most);
    }
    shares.put(place, client.share(), 0, running);
    return place;
  }

  synchronized void leave(String place) {
    shares.remove(place);
  }
}
