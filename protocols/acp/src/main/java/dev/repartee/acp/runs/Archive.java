package dev.repartee.acp.runs;

import dev.repartee.limits.ClientShares;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The ended runs or the sessions of a server. At a limit the archive removes the oldest entry of
 * the client with the largest share, see {@link ClientShares}. Not thread-safe; guarded by the lock
 * of the server.
 */
final class Archive<T> {
  private final ClientShares shares;
  private final Map<String, T> entries = new HashMap<>();

  /**
   * Creates an empty archive.
   *
   * @param most the maximum number of entries
   * @param mostBytes the maximum memory of all entries in bytes
   */
  Archive(int most, long mostBytes) {
    this.shares = new ClientShares(most, mostBytes);
  }

  @Nullable T find(String id) {
    return entries.get(id);
  }

  /** Adds an entry, or updates its memory. Drops an entry that alone exceeds the limit. */
  void put(String id, String client, T entry, long bytes) {
    ClientShares.Use use = ClientShares.Use.ENDED;
    if (shares.makeRoom(id, client, bytes, use, entries::remove) == null) {
      shares.put(id, client, bytes, use);
      entries.put(id, entry);
    } else {
      shares.remove(id);
      entries.remove(id);
    }
  }
}
