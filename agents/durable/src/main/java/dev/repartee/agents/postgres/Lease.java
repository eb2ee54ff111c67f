package dev.repartee.agents.postgres;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The proof that a process is alive: an advisory lock, held by a database session of the process.
 * The server releases the lock as soon as the connection ends, even if the process was killed.
 * Whether a process is dead therefore does not depend on clocks. Not thread-safe.
 */
final class Lease implements AutoCloseable {
  private static final int HEX = 16;

  /** The time limit of the check of the connection. */
  private static final int CHECK_SECONDS = 5;

  private static final int MAX_HOST = 40;
  private static final Pattern OWNER = Pattern.compile(".*:[0-9a-f]{1,16}");

  private static final System.Logger LOG = System.getLogger(Lease.class.getName());

  private final Database database;
  private final String owner;
  private final long key;
  private @Nullable Connection connection;
  private boolean closed;

  /** Creates a lease for this process, without acquiring its lock. */
  Lease(Database database) {
    this.database = database;
    this.key = new SecureRandom().nextLong();
    this.owner = host() + ":" + ProcessHandle.current().pid() + ":" + Long.toHexString(key);
  }

  private static String host() {
    try {
      String name = InetAddress.getLocalHost().getHostName();
      return name.substring(0, Math.min(MAX_HOST, name.length()));
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }

  /** Returns the name of this process in the database: host, process id, and key of the lock. */
  String owner() {
    return owner;
  }

  /**
   * Acquires the lock, or checks that this process still holds it.
   *
   * @return the session that holds the lock
   *
   * @throws SQLException if the database cannot be reached, or the lease is closed
   */
  Connection hold() throws SQLException {
    if (closed) { // a check may still run; it must not acquire the lock again
      throw new SQLException("the lease " + owner + " is closed");
    }
    if (connection != null) {
      if (connection.isValid(CHECK_SECONDS)) {
        return connection;
      }
      LOG.log(System.Logger.Level.WARNING, "the connection of the lease " + owner + " was lost");
      disconnect();
    }
    Connection opened = database.connect();
    try {
      if (!lock(opened, key)) {
        throw new SQLException("the server has not detected the end of the last connection yet");
      }
    } catch (SQLException e) {
      opened.close();
      throw e;
    }
    connection = opened;
    return opened;
  }

  /**
   * Acquires the lock of another process, if that process is dead. The lock ensures that only one
   * process takes over the runs of the dead one; {@link #release} releases it.
   *
   * @return whether the other process is dead
   */
  boolean seize(String other) throws SQLException {
    return OWNER.matcher(other).matches() && !other.equals(owner) && lock(hold(), key(other));
  }

  /** Releases the lock of a dead process. */
  void release(String other) throws SQLException {
    call(hold(), "SELECT pg_advisory_unlock(?)", key(other));
  }

  private static boolean lock(Connection session, long key) throws SQLException {
    return call(session, "SELECT pg_try_advisory_lock(?)", key);
  }

  private static boolean call(Connection session, String function, long key) throws SQLException {
    try (PreparedStatement statement = session.prepareStatement(function)) {
      statement.setLong(1, key);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() && row.getBoolean(1);
      }
    }
  }

  private static long key(String owner) {
    return Long.parseUnsignedLong(owner.substring(owner.lastIndexOf(':') + 1), HEX);
  }

  /** Releases the lock. Other processes may then take over the runs of this process. */
  @Override
  public void close() {
    closed = true;
    Connection last = connection;
    if (last != null) {
      try {
        // Releases it explicitly: the server may notice the end of the connection only later.
        last.setNetworkTimeout(Runnable::run, CHECK_SECONDS * 1_000);
        call(last, "SELECT pg_advisory_unlock(?)", key);
      } catch (SQLException e) {
        // The server releases the locks of a broken connection itself.
      }
    }
    disconnect();
  }

  private void disconnect() {
    Connection closing = connection;
    connection = null;
    if (closing != null) {
      try {
        closing.close();
      } catch (SQLException e) {
        // The server notices the end of the connection itself.
      }
    }
  }
}
