package dev.repartee.conformance;

import dev.repartee.Options;
import dev.repartee.json.Json;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The connection that the cases share. It is replaced when it can no longer be used. */
final class Connections implements AutoCloseable {
  /** The time to wait for a server that restarts, as a multiple of the response time limit. */
  private static final int RESTART = 5;

  private static final int RETRY_MILLIS = 100;

  /** The time limit of a program from its start to its first response. */
  private static final Duration START = Duration.ofSeconds(20);

  /** The check gives up after this number of connections in a row without any response. */
  private static final int MAX_SILENT = 3;

  private final Endpoint endpoint;
  private final Options options;
  private final List<Json> opening;
  private final Duration timeout;
  private @Nullable Exchange current;
  /** True after the first successful connect. */
  private boolean wasThere;
  /** True after the first message from the server, on any connection. */
  private boolean heardAny;
  /** The number of connections in a row, up to the last one closed, without any response. */
  private int silent;

  Connections(Endpoint endpoint, Options options, List<Json> opening, Duration timeout) {
    this.endpoint = endpoint;
    this.options = options;
    this.opening = opening;
    this.timeout = timeout;
  }

  /** Returns the connection in use, or a new one if it can no longer be used. */
  Exchange used() throws IOException, InterruptedException {
    Exchange used = current;
    return used == null || used.isSpent() ? fresh() : used;
  }

  /**
   * Replaces the connection in use by a new one and returns it.
   *
   * @throws SilenceException if the server sent nothing on the last {@link #MAX_SILENT} connections
   * @throws IOException if the server cannot be reached
   */
  Exchange fresh() throws IOException, InterruptedException {
    drop();
    if (silent == MAX_SILENT) {
      throw new SilenceException(Endpoint.shown(endpoint.toString()) + " accepted " + MAX_SILENT
          + " connections in a row and" + " answered no request on them within "
          + timeout.toMillis() + " ms");
    }
    Exchange fresh = new Exchange(connect(), timeout, start());
    current = fresh;
    if (opening.isEmpty()) {
      fresh.awaken();
    }
    for (Json message : opening) {
      if (message.get("id") == null) {
        fresh.tell(message);
      } else if (fresh.ask(message) == null) {
        throw new IOException(Endpoint.shown(endpoint.toString())
            + " does not answer the opening message " + message);
      }
    }
    return fresh;
  }

  /** Returns how long to wait for the first response on a new connection. */
  private Duration start() {
    if (silent > 0) {
      return timeout;
    }
    boolean isStarted = heardAny && !endpoint.scheme().equals("exec");
    return isStarted ? timeout.multipliedBy(RESTART) : START;
  }

  /** Connects. Waits for a server that was reachable before, because it may be restarting. */
  private Wire connect() throws IOException, InterruptedException {
    long end = System.nanoTime() + (wasThere ? timeout.multipliedBy(RESTART).toNanos() : 0);
    while (true) {
      try {
        Wire wire = Wires.connect(endpoint, options);
        wasThere = true;
        return wire;
      } catch (IOException e) {
        if (System.nanoTime() - end >= 0) {
          throw e;
        }
        Thread.sleep(RETRY_MILLIS);
      }
    }
  }

  /** Closes the connection in use. */
  void drop() {
    Exchange used = current;
    current = null;
    if (used != null) {
      heardAny |= used.heardAny();
      silent = used.heardAny() ? 0 : silent + 1;
      used.close();
    }
  }

  @Override
  public void close() {
    drop();
  }
}
