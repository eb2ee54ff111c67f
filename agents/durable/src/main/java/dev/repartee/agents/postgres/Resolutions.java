package dev.repartee.agents.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The table of the failed runs that were continued under a new id. A failed run is continued once:
 * otherwise its later steps would run twice. The engine does not record this, and it cannot start a
 * run in a transaction of its caller. Therefore the table also contains the input of the new run:
 * if the process ends before it submits the new run, the next call submits it. Thread-safe.
 */
final class Resolutions {
  private static final String TABLE = "\"" + Database.SCHEMA + "\".resolution";

  /** The key of the lock for all changes of the table, including its creation. */
  private static final long LOCK = 0x7265706172746565L; // "repartee"

  private final DataSource source;

  Resolutions(DataSource source) {
    this.source = source;
  }

  /**
   * The continuation of a failed run.
   *
   * @param newRun the id of the new run
   * @param input the {@link WorkflowInput} of the new run as JSON text
   */
  record Continuation(String newRun, String input) {}

  /** Returns the continuation of a run; null if there is none. */
  @Nullable Continuation find(String run) throws SQLException {
    try (Connection connection = source.getConnection()) {
      return exists(connection) ? find(connection, run) : null;
    }
  }

  /**
   * Records the continuation of a run, unless there is one.
   *
   * @return the earlier continuation; null if there was none
   * @throws IllegalStateException if another run is continued under the new id
   */
  @Nullable Continuation record(String run, Continuation given) throws SQLException {
    try (Connection connection = source.getConnection()) {
      connection.setAutoCommit(false);
      try {
        Continuation earlier = recordLocked(connection, run, given);
        connection.commit();
        return earlier;
      } catch (SQLException | RuntimeException e) {
        connection.rollback();
        throw e;
      } finally {
        connection.setAutoCommit(true);
      }
    }
  }

  private static @Nullable Continuation recordLocked(
      Connection connection, String run, Continuation given) throws SQLException {
    try (PreparedStatement lock = connection.prepareStatement("SELECT pg_advisory_xact_lock(?)")) {
      lock.setLong(1, LOCK);
      lock.execute();
    }
    if (!exists(connection)) {
      create(connection);
    }
    Continuation known = find(connection, run);
    if (known != null) {
      return known;
    }
    String sql = "INSERT INTO " + TABLE + " (run, new_run, input) VALUES (?, ?, ?)"
        + " ON CONFLICT (new_run) DO NOTHING";
    try (PreparedStatement insert = connection.prepareStatement(sql)) {
      insert.setString(1, run);
      insert.setString(2, given.newRun());
      insert.setString(3, given.input());
      if (insert.executeUpdate() == 0) {
        throw exists(given.newRun());
      }
    }
    return null;
  }

  /** Removes the continuation of a run under an id that it cannot have. */
  void remove(String run, String newRun) throws SQLException {
    try (Connection connection = source.getConnection();
        PreparedStatement delete = connection.prepareStatement(
            "DELETE FROM " + TABLE + " WHERE run = ? AND new_run = ?")) {
      delete.setString(1, run);
      delete.setString(2, newRun);
      delete.executeUpdate();
    }
  }

  static IllegalStateException exists(String run) {
    return new IllegalStateException("a run " + run + " exists already; choose another id");
  }

  private static boolean exists(Connection connection) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT to_regclass(?) IS NOT NULL")) {
      statement.setString(1, TABLE);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() && row.getBoolean(1);
      }
    }
  }

  /**
   * Not at the start of a process: otherwise a user without the privilege to create tables could no
   * longer run plans.
   */
  private static void create(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      // The table may exist: a session may see tables of other sessions late, even while it holds
      // the lock.
      statement.execute("CREATE TABLE IF NOT EXISTS " + TABLE
          + " (run TEXT PRIMARY KEY, new_run TEXT NOT NULL UNIQUE, input TEXT NOT NULL)");
    }
  }

  private static @Nullable Continuation find(Connection connection, String run)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT new_run, input FROM " + TABLE + " WHERE run = ?")) {
      statement.setString(1, run);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? new Continuation(row.getString(1), row.getString(2)) : null;
      }
    }
  }
}
