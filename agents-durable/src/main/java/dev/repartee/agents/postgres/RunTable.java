package dev.repartee.agents.postgres;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
  private final String version;

  RunTable(Lease lease, String version) {
    this.lease = lease;
    this.version = version;
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
   * Moves runs from a queue to that of a process, the oldest first. Leaves the runs of other versions
   * alone: the engine would not execute them.
   *
   * @return the ids of the runs, so many at most
   */
  synchronized List<String> move(String queue, String owner, int most) throws SQLException {
    // Not a subquery: PostgreSQL may execute that more than once, and so pass the limit.
    String sql = "WITH picked AS MATERIALIZED (SELECT workflow_uuid FROM " + RUNS
        + " WHERE queue_name = ? AND status = 'ENQUEUED' AND application_version = ?"
        + " ORDER BY created_at LIMIT ? FOR UPDATE SKIP LOCKED)"
        + " UPDATE " + RUNS + " AS run SET queue_name = ? FROM picked"
        + " WHERE run.workflow_uuid = picked.workflow_uuid RETURNING run.workflow_uuid";
    try (PreparedStatement statement = lease.hold().prepareStatement(sql)) {
      statement.setString(1, queue);
      statement.setString(2, version);
      statement.setInt(3, most);
      statement.setString(4, queueOf(owner));
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

  /** Returns whether a process is dead and no other process takes its runs over at present. */
  synchronized boolean isDead(String owner) throws SQLException {
    boolean dead = lease.seize(owner);
    if (dead) {
      lease.release(owner);
    }
    return dead;
  }

  /**
   * Moves the runs of a dead process to a queue. Does nothing if the process is alive, or if another
   * process takes its runs over.
   *
   * @param run the only run to move; null for all
   * @return whether the process is dead
   */
  synchronized boolean takeOver(String owner, @Nullable String run, String queue)
      throws SQLException {
    if (!lease.seize(owner)) {
      return false;
    }
    try {
      requeue(owner, run, queue);
      return true;
    } finally {
      lease.release(owner);
    }
  }

  /**
   * Moves the runs that still belong to a process to a queue. Unlike the engine, it never continues a
   * run that has been cancelled meanwhile.
   *
   * @param run the only run to move; null for all
   */
  synchronized void requeue(String owner, @Nullable String run, String queue) throws SQLException {
    String sql = "UPDATE " + RUNS + " SET status = 'ENQUEUED', queue_name = ?, updated_at = ?,"
        + " recovery_attempts = 0, started_at_epoch_ms = NULL, completed_at = NULL"
        + " WHERE status IN ('PENDING', 'ENQUEUED') AND " + OWNER + " = ?"
        + " AND workflow_uuid = COALESCE(?, workflow_uuid)";
    try (PreparedStatement statement = lease.hold().prepareStatement(sql)) {
      statement.setString(1, queue);
      statement.setLong(2, System.currentTimeMillis());
      statement.setString(3, owner);
      statement.setString(4, run);
      statement.executeUpdate();
    }
  }

  @Override
  public synchronized void close() {
    lease.close();
  }
}
