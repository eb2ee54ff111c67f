package dev.repartee.bridge;

import java.util.HashMap;
import java.util.Map;

/**
 * A limited number of places that clients share. A client may use at most half of the places that
 * the others leave free, which leaves a place for the next client.
 * {@link dev.repartee.limits.ClientShares} allows half of a store for each client, but it removes
 * entries to make room; a subscription cannot be removed until its client ends it. Not thread-safe:
 * the lock of {@link SubscriptionTable} guards it.
 */
final class Places {
  private final int most;

  /** The number of places of each client that has any, by its name; see ClientShares. */
  private final Map<String, Integer> places = new HashMap<>();

  private int taken;

  /**
   * @param most the number of places
   */
  Places(int most) {
    this.most = most;
  }

  /** Reserves a place for a client. Returns false if the client has its share. */
  boolean take(String client) {
    int own = places.getOrDefault(client, 0);
    if (own + 1 > (most - (taken - own) + 1) / 2) {
      return false;
    }
    places.put(client, own + 1);
    taken++;
    return true;
  }

  /** Releases a place; does nothing if the client has none, as after {@link #clear}. */
  void giveBack(String client) {
    if (places.containsKey(client)) {
      places.computeIfPresent(client, (key, own) -> own == 1 ? null : own - 1);
      taken--;
    }
  }

  /** Releases all places. */
  void clear() {
    places.clear();
    taken = 0;
  }
}
