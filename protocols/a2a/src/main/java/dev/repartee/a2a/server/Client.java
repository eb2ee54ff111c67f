package dev.repartee.a2a.server;

import dev.repartee.limits.ClientShares;
import org.jspecify.annotations.Nullable;

/**
 * The client of a request.
 *
 * @param owner its name; null without authentication
 * @param share the name of its share of the store: its name or its address
 */
record Client(@Nullable String owner, String share) {
  /** Returns the client with a name, or else with an address as in {@code ChannelInfo.remote}. */
  static Client of(@Nullable String owner, String remote) {
    return new Client(owner, ClientShares.client(owner, remote));
  }
}
