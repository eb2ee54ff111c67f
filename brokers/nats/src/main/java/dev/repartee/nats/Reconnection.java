package dev.repartee.nats;

import io.nats.client.Connection;
import io.nats.client.Consumer;
import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is opened again after each loss, by a thread that exists only until then. The
 * pauses between attempts grow from {@link #SHORTEST} to {@link #LONGEST}, less a random part, so
 * that not all clients come at once. Thread-safe.
 */
final class Reconnection implements NatsConnector.Listener {
  private static final int SHORTEST = 100;
  private static final int LONGEST = 5_000;

  /** The user of the connections. The first three methods are called by one thread at a time. */
  interface User {
    /**
     * Sets up a new connection with its subscriptions.
     *
     * @throws IOException if that fails; the connection is closed and another attempt follows
     */
    void opened(Connection connection) throws IOException;

    /** Reports that the connection was lost. */
    void lost(IOException cause);

    /** Reports that an attempt to connect again has failed. */
    void failed(IOException cause);

    /** Reports an error that the server has sent. */
    void refused(Connection connection, String error);

    /** Reports that messages were dropped. */
    void dropped(Connection connection, Consumer consumer);
  }

  private final NatsConnector connector;
  private final User user;

  // Guarded by this.
  private @Nullable Connection current;

  /** The connection that has ended before it was taken, and the reason. */
  private @Nullable Connection early;

  private @Nullable IOException cause;
  private boolean closed;

  Reconnection(NatsConnector connector, User user) {
    this.connector = connector;
    this.user = user;
  }

  /**
   * Opens the first connection.
   *
   * @throws IOException if that fails; no further attempt follows
   */
  void open() throws IOException {
    Connection connection = connector.connect(this);
    try {
      user.opened(connection);
      take(connection);
    } catch (IOException | RuntimeException e) {
      NatsConnector.end(connection);
      throw e;
    }
  }

  private void take(Connection connection) throws IOException {
    synchronized (this) {
      if (early == connection && cause != null) {
        throw cause;
      }
      if (connection.getStatus() != Connection.Status.CONNECTED) {
        throw new IOException("the connection has ended at once");
      }
      if (!closed) {
        current = connection;
        return;
      }
    }
    NatsConnector.end(connection);
  }

  @Override
  public void ended(Connection connection, IOException why) {
    synchronized (this) {
      if (current != connection) {
        early = connection;
        cause = why;
        return;
      }
      current = null;
      if (closed) {
        return;
      }
    }
    NatsConnector.run(() -> reconnect(why));
  }

  @Override
  public void refused(Connection connection, String error) {
    user.refused(connection, error);
  }

  @Override
  public void dropped(Connection connection, Consumer consumer) {
    user.dropped(connection, consumer);
  }

  private void reconnect(IOException why) {
    user.lost(why);
    for (int pause = SHORTEST; !isClosed(); pause = Math.min(LONGEST, 2 * pause)) {
      Connection connection = null;
      try {
        connection = connector.connect(this);
        user.opened(connection);
        take(connection);
        return;
      } catch (IOException e) {
        NatsConnector.end(connection);
        user.failed(e);
      } catch (RuntimeException e) {
        NatsConnector.end(connection);
        user.failed(new IOException(NatsConnector.text(e), e));
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

  /**
   * Ends a connection because of a fault, as if it were lost.
   *
   * @param why the fault
   */
  void lose(Connection connection, IOException why) {
    ended(connection, why);
    NatsConnector.end(connection);
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
    NatsConnector.end(last);
  }
}
