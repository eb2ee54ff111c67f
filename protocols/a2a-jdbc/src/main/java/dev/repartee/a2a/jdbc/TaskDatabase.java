package dev.repartee.a2a.jdbc;

import dev.repartee.a2a.push.PushConfigStore;
import dev.repartee.a2a.server.TaskStore;
import dev.repartee.a2a.types.TaskState;
import java.sql.PreparedStatement;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import javax.sql.DataSource;

/**
 * Keeps tasks in H2 or PostgreSQL. They survive a restart, and several servers can share them.
 *
 * <pre>{@code
 * TaskDatabase database = TaskDatabase.open(dataSource);
 * A2aServer server = A2aServer.builder(card).agent(agent).store(database.tasks()).build();
 * }</pre>
 *
 * <p>Each method gets a connection from the DataSource; use a DataSource with a pool. Set the time
 * limits of statements in the DataSource, such as {@code QUERY_TIMEOUT} of H2 and
 * {@code statement_timeout} of PostgreSQL. This class sets none: in H2
 * {@link java.sql.Statement#setQueryTimeout} also applies to the next users of a connection from
 * the pool. Failures are {@link TaskDatabaseException}s. A server answers them with -32603, and
 * reports them to its listener. Thread-safe. Close the DataSource only; this class holds no other
 * resource.
 */
public final class TaskDatabase {
  /** The number of tasks that one transaction removes. */
  private static final int BATCH = 500;

  /** The default maximum length of an unfinished task as JSON, in characters. */
  public static final int TASK_CHARS = 8 << 20;

  private final Connections connections;
  private final TaskStore tasks;
  private final PushConfigStore pushConfigs;

  private TaskDatabase(DataSource source, int maxTaskChars) {
    if (maxTaskChars < 1) {
      throw new IllegalArgumentException("maxTaskChars has to be at least 1, not " + maxTaskChars);
    }
    this.connections = new Connections(source);
    this.tasks = new JdbcTaskStore(connections, maxTaskChars);
    this.pushConfigs = new JdbcPushConfigStore(connections);
  }

  /**
   * Opens the tables {@code a2a_tasks}, {@code a2a_push_configs} and {@code a2a_schema} in the
   * current schema of the connections. Creates missing tables.
   *
   * @throws TaskDatabaseException if the database is neither H2 nor PostgreSQL, if it fails, or if
   *     the tables belong to another release
   */
  public static TaskDatabase open(DataSource source) {
    return open(source, TASK_CHARS);
  }

  /**
   * Opens the tables with another limit.
   *
   * @param maxTaskChars the maximum length of an unfinished task as JSON, in characters. A longer
   *     task is refused with the error -32000. The tasks of a page have at most three times this
   *     length, unless ended tasks are longer
   * @throws IllegalArgumentException if the limit is less than 1
   */
  public static TaskDatabase open(DataSource source, int maxTaskChars) {
    TaskDatabase database = new TaskDatabase(source, maxTaskChars);
    Schema.open(database.connections);
    return database;
  }

  /**
   * Returns the store of tasks. The store keeps times in milliseconds. The total size of a list
   * counts up to 10,000. An id, the name of a client and the id of a context have at most 256
   * characters.
   */
  public TaskStore tasks() {
    return tasks;
  }

  /**
   * Returns the store of addresses for push notifications, for servers that use {@link #tasks}. A
   * task has at most 10 addresses. The table has the credentials of clients as clear text.
   */
  public PushConfigStore pushConfigs() {
    return pushConfigs;
  }

  /**
   * Removes tasks that have ended before a time, with their addresses for push notifications. Call
   * this method regularly on one of the servers; otherwise the tables grow without limit. Removes
   * 500 tasks in each transaction.
   *
   * @return the number of removed tasks
   */
  public long removeEnded(Instant before) {
    List<String> ended = Arrays.stream(TaskState.values())
        .filter(TaskState::isTerminal)
        .map(TaskState::name)
        .toList();
    long removed = 0;
    for (String state : ended) {
      int batch = BATCH;
      while (batch == BATCH) {
        batch = removeEnded(state, Filter.millis(before));
        removed += batch;
      }
    }
    return removed;
  }

  private int removeEnded(String state, long before) {
    return connections.run(Schema.TASKS, connection -> {
      try (PreparedStatement delete = connection.prepareStatement("""
          DELETE FROM a2a_tasks WHERE id IN (
            SELECT id FROM a2a_tasks WHERE state = ? AND status_time < ? LIMIT ?)""")) {
        delete.setString(1, state);
        delete.setLong(2, before);
        delete.setInt(3, BATCH);
        return delete.executeUpdate();
      }
    });
  }
}
