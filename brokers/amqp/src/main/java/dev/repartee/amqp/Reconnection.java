package dev.repartee.amqp;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is opened again after each loss, by a thread that exists only until then. The
 * pauses between attempts grow from {@link #SHORTEST} to {@link #LONGEST}, less a random part, so
 * that not all clients come at once. Thread-safe.
 */
final class Reconnection {
  private static final int SHORTEST = 100;
  private static final int LONGEST = 5_000;

  /** The user of the connections. Its methods are called by one thread at a time. */
  interface User {
    /**
     * Sets up a new connection: its channels, queues and consumers.
     *
     * @throws IOException if that fails; the connection is closed and another attempt follows
     */
    void opened(Connection connection) throws IOException;

    /** Reports that the connection was lost. */
    void lost(IOException cause);

    /** Reports that an attempt to connect again has failed. */
    void failed(IOException cause);
  }

  private final Connector connector;
  private final User user;

  // Guarded by this.
  private @Nullable Connection current;
  private boolean closed;

  Reconnection(Connector connector, User user) {
    this.connector = connector;
    this.user = user;
  }

  /**
   * Opens the first connection.
   *
   * @throws IOException if that fails; no further attempt follows
   */
  void open() throws IOException {
    Connection connection = connector.connect();
    try {
      user.opened(connection);
    } catch (IOException | RuntimeException e) {
      Connector.end(connection);
      throw e;
    }
    if (!take(connection)) {
      Connector.end(connection);
    }
  }

  private boolean take(Connection connection) {
    synchronized (this) {
      if (closed) {
        return false;
      }
      current = connection;
    }
    // Is called at once if the connection has ended meanwhile.
    connection.addShutdownListener(cause -> ended(connection, cause));
    return true;
  }

  private void ended(Connection connection, ShutdownSignalException cause) {
    synchronized (this) {
      if (closed || current != connection) {
        return;
      }
      current = null;
    }
    Thread thread = new Thread(() -> reconnect(cause), "repartee-amqp-reconnect");
    thread.setDaemon(true);
    thread.start();
  }

  private void reconnect(ShutdownSignalException cause) {
    user.lost(new IOException(Faults.reason(cause), cause));
    for (int pause = SHORTEST; !isClosed(); pause = Math.min(LONGEST, 2 * pause)) {
      Connection connection = null;
      try {
        connection = connector.connect();
        user.opened(connection);
        if (!take(connection)) {
          Connector.end(connection);
        }
        return;
      } catch (IOException | RuntimeException e) {
        Connector.end(connection);
        user.failed(e instanceof IOException known ? known : new IOException(Faults.root(e), e));
      }
      pause(pause / 2 + ThreadLocalRandom.current().nextInt(pause / 2));
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private synchronized void pause(int millis) {
    if (!closed) {
      try {
        wait(millis);
      } catch (InterruptedException e) {
        closed = true; // nobody but the end of the JVM interrupts this thread
      }
    }
  }

  /** Ends the connection; returns at once. Nothing is reported any more. */
  void close() {
    Connection last;
    synchronized (this) {
      closed = true;
      last = current;
      current = null;
      notifyAll();
    }
    if (last != null) {
      Connector.endSoon(last);
    }
  }
}
