package dev.repartee.bridge;

import dev.repartee.Call;
import dev.repartee.Peer;
import org.jspecify.annotations.Nullable;

/** The backends of a bridge. Thread-safe. */
interface Backends extends AutoCloseable {
  /** Finds or prepares the backend of a new client. Must not block. */
  Client join(Peer client);

  /** Forwards a message that arrived without a connection, as over HTTP; see {@link Client}. */
  @Nullable Object alone(Call call);

  /** Ends the connections to the backends. */
  @Override
  void close();
}
