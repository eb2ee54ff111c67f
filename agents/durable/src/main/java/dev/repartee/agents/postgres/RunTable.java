package dev.repartee.agents.postgres;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads and changes the owners of runs, with SQL on the table of the engine, because the engine has
 * no interface for this. The owner of a run is the process that executes it or has it in its queue.
 * Thread-safe.
 */
final class RunTable implements AutoCloseable {
  /** The prefix of the names of queues; the name of the process follows. */
  private static final String QUEUE = "process:";

  private static final String RUNS = "\"" + Database.SCHEMA + "\".workflow_status";

  /** The expression for the owner of a run; null if the run has none. */
  private static final String OWNER = "CASE WHEN status = 'PENDING' THEN executor_id"
      + " WHEN status = 'ENQUEUED' AND queue_name LIKE '" + QUEUE + "%'"
      + " THEN substr(queue_name, " + (QUEUE.length() + 1) + ") END";

  private final Lease lease; // guarded by this
  private final String version;

  RunTable(Lease lease, String version) {
    this.lease = lease;
    this.version = version;
  }

  /**
   * Returns the name of the queue of a process. Only this process executes the runs in its queue.
   */
  static String queueOf(String owner) {
    return QUEUE + owner;
  }

  /** Acquires the lease of this process, or checks it. */
  synchronized void holdLease() throws SQLException {
    lease.hold();
  }

  /**
   * A run with its owner.
   *
   * @param isPending whether the owner executes the run; otherwise the run is in its queue
   */
  record Owned(String run, String owner, boolean isPending) {}

  /** Returns all runs that have an owner. */
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
   * Moves runs from a queue to the queue of a process, the oldest runs first. Does not move the
   * runs of other versions, which the engine would not execute.
   *
   * @param most the maximum number of runs
   * @return the ids of the moved runs
   */
  synchronized List<String> move(String queue, String owner, int most) throws SQLException {
    // Not a subquery: PostgreSQL may execute a subquery repeatedly and thereby exceed the limit.
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

  /** Returns whether a process is dead, and no other process is taking over its runs. */
  synchronized boolean isDead(String owner) throws SQLException {
    boolean dead = lease.seize(owner);
    if (dead) {
      lease.release(owner);
    }
    return dead;
  }

  /**
   * Moves the runs of a dead process to a queue. Does nothing if the process is alive, or if
   * another process is taking over its runs.
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
   * Moves the runs of an owner to a queue. Does not move a cancelled run; the engine's own method
   * would resume it.
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
