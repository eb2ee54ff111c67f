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
  /** How many times as long as for an answer to wait for a server that is started again. */
  private static final int RESTART = 5;

  private static final int RETRY_MILLIS = 100;

  /** The time limit of a program from its start to its first answer. */
  private static final Duration START = Duration.ofSeconds(20);

  /** So many connections in a row on which nothing is heard are enough to give up. */
  private static final int MAX_SILENT = 3;

  private final Endpoint endpoint;
  private final Options options;
  private final List<Json> opening;
  private final Duration timeout;
  private @Nullable Exchange current;
  private boolean wasThere;
  private boolean heardAny;
  private int silent;

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

  /**
   * A new one, which is used from now on.
   *
   * @throws SilenceException if nothing was heard on the last ones, though each was asked more than once
   */
  Exchange fresh() throws IOException, InterruptedException {
    drop();
    if (silent == MAX_SILENT) {
      throw new SilenceException(endpoint + " took " + MAX_SILENT + " connections in a row and"
          + " answered nothing on them, within " + timeout.toMillis() + " ms for each request");
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
        throw new IOException(endpoint + " does not answer to the opening message " + message);
      }
    }
    return fresh;
  }

  /** How long to wait for the first answer on a new connection. */
  private Duration start() {
    if (silent > 0) {
      return timeout;
    }
    boolean isStarted = heardAny && !endpoint.scheme().equals("exec");
    return isStarted ? timeout.multipliedBy(RESTART) : START;
  }

  /** Connects; a server that was there before, and may be started again, is waited for. */
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

  /** Ends the one in use. */
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
