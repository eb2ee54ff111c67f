package dev.repartee.agents.serve;

import dev.repartee.limits.ClientShares;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The places of open tasks. The clients share them, as {@link ClientShares} describes: a task that
 * waits for its client may lose its place to another task, which cancels it. Thread-safe.
 */
final class Places {
  // Guarded by this. No other lock is acquired while this lock is held.
  private final ClientShares shares;
  private final Map<String, Place> places = new HashMap<>();
  private long last;

  Places(int most) {
    this.shares = new ClientShares(most, most);
  }

  /**
   * Reserves the place of a running task.
   *
   * @param client the name of the client, see {@link ClientShares#client}
   * @return null if there is no place for a task of this client
   */
  @Nullable Place enter(String client) {
    List<Place> replaced = new ArrayList<>();
    Place place = reserve(client, replaced);
    replaced.forEach(old -> old.lost.complete(null));
    return place;
  }

  private synchronized @Nullable Place reserve(String client, List<Place> replaced) {
    Place place = new Place(String.valueOf(++last), client);
    if (shares.makeRoom(
            place.id,
            client,
            1,
            ClientShares.Use.RUNNING,
            old -> replaced.add(Objects.requireNonNull(places.remove(old))))
        != null) {
      return null;
    }
    places.put(place.id, place);
    place.use(ClientShares.Use.RUNNING);
    return place;
  }

  /** The place of one task. */
  final class Place {
    private final String id;
    private final String client;
    private final CompletableFuture<@Nullable Void> lost = new CompletableFuture<>();

    Place(String id, String client) {
      this.id = id;
      this.client = client;
    }

    /** Sets whether a call serves the task. Does nothing if the place is lost or free. */
    void use(ClientShares.Use use) {
      synchronized (Places.this) {
        if (places.containsKey(id)) {
          shares.put(id, client, 1, use);
        }
      }
    }

    /**
     * Keeps the place until the end of a task. If the place is lost, the task is cancelled.
     *
     * @return the output; it completes after the place is free
     */
    <T> CompletableFuture<T> hold(CompletableFuture<T> output) {
      lost.thenRun(() -> output.cancel(true));
      return output.whenComplete((json, failure) -> leave());
    }

    /** Frees the place. */
    void leave() {
      synchronized (Places.this) {
        places.remove(id);
        shares.remove(id);
      }
    }
  }
}
