package dev.repartee.a2a.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;

/** The tables, in the same SQL for H2 and PostgreSQL. */
final class Schema {
  static final String TASKS = "a2a_tasks";
  static final String PUSH_CONFIGS = "a2a_push_configs";

  /** The table with the version of the other tables, in its only row. */
  static final String VERSIONS = "a2a_schema";

  /** The maximum length of the texts in indexes, in UTF-16 units. */
  static final int TEXT = 256;

  private static final int VERSION = 1;

  private static final Set<String> PRODUCTS = Set.of("H2", "PostgreSQL");

  /** Serializes servers that start at the same time. Every server must use this number. */
  private static final String LOCK = "SELECT pg_advisory_xact_lock(4270010257)";

  private static final List<String> CREATE = List.of(
      "CREATE TABLE IF NOT EXISTS a2a_schema (version INTEGER PRIMARY KEY)",
      // status_time is the time of the status in milliseconds since 1970; 0 if it is unknown.
      """
          CREATE TABLE IF NOT EXISTS a2a_tasks (
            id VARCHAR(256) PRIMARY KEY,
            version BIGINT NOT NULL,
            owner VARCHAR(256),
            context_id VARCHAR(256),
            state VARCHAR(32) NOT NULL,
            status_time BIGINT NOT NULL,
            task TEXT NOT NULL)""",
      "CREATE INDEX IF NOT EXISTS a2a_tasks_time ON a2a_tasks (status_time DESC, id)",
      "CREATE INDEX IF NOT EXISTS a2a_tasks_owner ON a2a_tasks (owner, status_time DESC, id)",
      """
          CREATE INDEX IF NOT EXISTS a2a_tasks_context
            ON a2a_tasks (context_id, status_time DESC, id)""",
      "CREATE INDEX IF NOT EXISTS a2a_tasks_state ON a2a_tasks (state, status_time DESC, id)",
      """
          CREATE TABLE IF NOT EXISTS a2a_push_configs (
            task_id VARCHAR(256) NOT NULL REFERENCES a2a_tasks (id) ON DELETE CASCADE,
            id VARCHAR(256) NOT NULL,
            protocol_version VARCHAR(32) NOT NULL,
            config TEXT NOT NULL,
            PRIMARY KEY (task_id, id))""");

  private Schema() {}

  /** Checks the version of the tables. Creates missing tables. */
  static void open(Connections connections) {
    String product =
        connections.run(VERSIONS, connection -> connection.getMetaData().getDatabaseProductName());
    if (!PRODUCTS.contains(product)) {
      throw new TaskDatabaseException(
          "the database is " + product + ", but tasks are kept in H2 and PostgreSQL only");
    }
    int version = connections.run(VERSIONS, Schema::version);
    if (version == 0) {
      version = create(connections, product);
    }
    if (version != VERSION) {
      throw new TaskDatabaseException("the table " + VERSIONS + " has version " + version
          + " of the tables, but this release of Repartee supports version " + VERSION
          + "; use a release that supports it, or another schema of the database");
    }
  }

  /** Creates the tables, on one thread at a time, since H2 fails otherwise. */
  private static synchronized int create(Connections connections, String product) {
    connections.transact(VERSIONS, connection -> create(connection, product));
    return connections.run(VERSIONS, Schema::version);
  }

  /** Returns the version, or 0. */
  private static int version(Connection connection) throws SQLException {
    try (PreparedStatement statement =
            connection.prepareStatement("SELECT MAX(version) FROM a2a_schema");
        ResultSet rows = statement.executeQuery()) {
      rows.next();
      return rows.getInt(1);
    } catch (SQLException e) {
      if (isMissingTable(e)) {
        return 0;
      }
      throw e;
    }
  }

  private static boolean isMissingTable(SQLException failure) {
    String state = String.valueOf(failure.getSQLState());
    return state.equals("42P01") || state.equals("42S02") || state.equals("42S04");
  }

  private static boolean create(Connection connection, String product) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      if (product.equals("PostgreSQL")) {
        statement.execute(LOCK);
      }
      for (String each : CREATE) {
        statement.execute(each);
      }
    }
    // Last, since H2 commits each statement above: without this row, the next start repeats them.
    try (PreparedStatement insert = connection.prepareStatement("INSERT INTO a2a_schema (version)"
        + " SELECT " + VERSION + " WHERE NOT EXISTS (SELECT 1 FROM a2a_schema)")) {
      return insert.executeUpdate() == 1;
    } catch (SQLException e) {
      if (Connections.isDuplicate(e) && product.equals("H2")) {
        return false; // another server has created the tables at the same time
      }
      throw e;
    }
  }
}
