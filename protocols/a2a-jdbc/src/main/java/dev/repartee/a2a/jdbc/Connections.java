package dev.repartee.a2a.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Runs statements on connections of a DataSource, and closes each connection. Thread-safe. */
final class Connections {
  /** The SQLSTATE of PostgreSQL and H2 for a second row with the same key. */
  private static final String DUPLICATE = "23505";

  private final DataSource source;

  Connections(DataSource source) {
    this.source = source;
  }

  /** Statements that return a value. */
  interface Work<T> {
    T run(Connection connection) throws SQLException;
  }

  /** Runs a single statement. */
  <T> T run(String table, Work<T> work) {
    return run(table, true, work);
  }

  /** Runs statements in one transaction. An exception rolls the transaction back. */
  <T> T transact(String table, Work<T> work) {
    return run(table, false, work);
  }

  private <T> T run(String table, boolean single, Work<T> work) {
    try (Connection connection = connect()) {
      boolean before = connection.getAutoCommit();
      connection.setAutoCommit(single);
      try {
        return single ? work.run(connection) : committed(connection, work);
      } finally {
        if (before != single) {
          restore(connection, before);
        }
      }
    } catch (SQLException e) {
      throw TaskDatabaseException.of(table, e);
    }
  }

  private Connection connect() {
    try {
      return source.getConnection();
    } catch (SQLException e) {
      throw TaskDatabaseException.ofConnection(e);
    }
  }

  private static <T> T committed(Connection connection, Work<T> work) throws SQLException {
    try {
      T result = work.run(connection);
      connection.commit();
      return result;
    } catch (SQLException | RuntimeException | Error e) {
      rollBack(connection);
      throw e;
    }
  }

  private static void rollBack(Connection connection) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      // The connection is broken; the database rolls back. The first failure is reported.
    }
  }

  /** Restores the mode of a connection for the next user of a pool. */
  private static void restore(Connection connection, boolean autoCommit) {
    try {
      connection.setAutoCommit(autoCommit);
    } catch (SQLException e) {
      // The connection is broken, and its pool discards it. The result is known already.
    }
  }

  /** Returns whether the database refused a row because another row has the same key. */
  static boolean isDuplicate(SQLException failure) {
    return DUPLICATE.equals(failure.getSQLState());
  }
}
