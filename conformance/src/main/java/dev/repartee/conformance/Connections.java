package dev.repartee.conformance;

import dev.repartee.Endpoint;
import dev.repartee.Json;
import dev.repartee.Options;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The connection that cases share, and a new one where that is of no use any more. */
final class Connections implements AutoCloseable {
  private final Endpoint endpoint;
  private final Options options;
  private final List<Json> opening;
  private final Duration timeout;
  private @Nullable Exchange current;

  Connections(Endpoint endpoint, Options options, List<Json> opening, Duration timeout) {
    this.endpoint = endpoint;
    this.options = options;
    this.opening = opening;
    this.timeout = timeout;
  }

  /** The one in use, if it is still good. */
  Exchange used() throws IOException, InterruptedException {
    Exchange used = current;
    return used == null || used.isSpent() ? fresh() : used;
  }

  /** A new one, which is used from now on. */
  Exchange fresh() throws IOException, InterruptedException {
    drop();
    Exchange fresh = new Exchange(Wires.connect(endpoint, options), timeout);
    current = fresh;
    if (opening.isEmpty()) {
      fresh.awaken();
    }
    for (Json message : opening) {
      if (message.get("id") == null) {
        fresh.tell(message);
      } else if (fresh.ask(message) == null) {
        throw new IOException(endpoint + " does not answer to the opening message " + message);
      }
    }
    return fresh;
  }

  /** Ends the one in use. */
  void drop() {
    Exchange used = current;
    current = null;
    if (used != null) {
      used.close();
    }
  }

  @Override
  public void close() {
    drop();
  }
}
