package dev.repartee.agents.postgres;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads in the engine's table of runs which process executes which run, and assigns submitted runs
 * to a process. The engine has no interface for it. Thread-safe.
 */
final class RunTable implements AutoCloseable {
  /** The queue of a process has its name behind this. */
  private static final String QUEUE = "process:";

  private static final String RUNS = "\"" + Database.SCHEMA + "\".workflow_status";

  /** The process that executes a run, or in whose queue the run is. */
  private static final String OWNER = "CASE WHEN status = 'PENDING' THEN executor_id"
      + " WHEN status = 'ENQUEUED' AND queue_name LIKE '" + QUEUE + "%'"
      + " THEN substr(queue_name, " + (QUEUE.length() + 1) + ") END";

  private final Lease lease; // guarded by this

  RunTable(Lease lease) {
    this.lease = lease;
  }

  /** Returns the name of the queue of a process: a run in it is executed by that process only. */
  static String queueOf(String owner) {
    return QUEUE + owner;
  }

  /** Takes the lease of this process, or checks it. */
  synchronized void holdLease() throws SQLException {
    lease.hold();
  }

  /**
   * A run that a process executes or will execute.
   *
   * @param isPending whether the process has begun
   */
  record Owned(String run, String owner, boolean isPending) {}

  /** Returns the runs that belong to a process. */
  synchronized List<Owned> owned() throws SQLException {
    List<Owned> owned = new ArrayList<>();
    String sql = "SELECT workflow_uuid, " + OWNER + ", status = 'PENDING' FROM " + RUNS
        + " WHERE status IN ('PENDING', 'ENQUEUED') AND " + OWNER + " IS NOT NULL";
    try (PreparedStatement statement = lease.hold().prepareStatement(sql);
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        owned.add(new Owned(rows.getString(1), rows.getString(2), rows.getBoolean(3)));
      }
    }
    return owned;
  }

  /**
   * Moves runs from a queue to that of a process, the oldest first.
   *
   * @return the ids of the runs, so many at most
   */
  synchronized List<String> move(String queue, String owner, int most) throws SQLException {
    // Not a subquery: PostgreSQL may execute that more than once, and so pass the limit.
    String sql = "WITH picked AS MATERIALIZED (SELECT workflow_uuid FROM " + RUNS
        + " WHERE queue_name = ? AND status = 'ENQUEUED'"
        + " ORDER BY created_at LIMIT ? FOR UPDATE SKIP LOCKED)"
        + " UPDATE " + RUNS + " AS run SET queue_name = ? FROM picked"
        + " WHERE run.workflow_uuid = picked.workflow_uuid RETURNING run.workflow_uuid";
    try (PreparedStatement statement = lease.hold().prepareStatement(sql)) {
      statement.setString(1, queue);
      statement.setInt(2, most);
      statement.setString(3, queueOf(owner));
      return strings(statement);
    }
  }

  private static List<String> strings(PreparedStatement statement) throws SQLException {
    List<String> strings = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        strings.add(rows.getString(1));
      }
    }
    return strings;
  }

  /**
   * Passes the runs of a dead process to an action. Does nothing if the process is alive, or if
   * another process takes its runs over.
   *
   * @return whether it is dead
   */
  synchronized boolean takeOver(String owner, Consumer<List<String>> action) throws SQLException {
    if (!lease.seize(owner)) {
      return false;
    }
    try {
      action.accept(runsOf(owner));
      return true;
    } finally {
      lease.release(owner);
    }
  }

  private List<String> runsOf(String owner) throws SQLException {
    String sql = "SELECT workflow_uuid FROM " + RUNS
        + " WHERE status IN ('PENDING', 'ENQUEUED') AND " + OWNER + " = ?";
    try (PreparedStatement statement = lease.hold().prepareStatement(sql)) {
      statement.setString(1, owner);
      return strings(statement);
    }
  }

  @Override
  public synchronized void close() {
    lease.close();
  }
}
