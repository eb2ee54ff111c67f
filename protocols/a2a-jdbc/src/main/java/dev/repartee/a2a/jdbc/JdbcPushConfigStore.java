package dev.repartee.a2a.jdbc;

import dev.repartee.a2a.push.PushConfigStore;
import dev.repartee.a2a.push.StoredPushConfig;
import dev.repartee.a2a.wire.A2aJson;
import dev.repartee.a2a.wire.Errors;
import dev.repartee.a2a.wire.ProtocolVersion;
import dev.repartee.json.Json;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The addresses for push notifications in the table a2a_push_configs, as JSON of version 1.0. */
final class JdbcPushConfigStore implements PushConfigStore {
  /** The maximum number of addresses of a task. */
  static final int EACH = 10;

  /** The maximum length of an address with its credentials, as JSON. */
  private static final int CHARS = 64 << 10;

  private static final A2aJson CODEC = A2aJson.lenient(ProtocolVersion.V1_0);

  private final Connections connections;

  JdbcPushConfigStore(Connections connections) {
    this.connections = connections;
  }

  @Override
  public void save(StoredPushConfig config) {
    if (!Texts.fits(config.taskId())) {
      throw Errors.taskNotFound(config.taskId());
    }
    if (!Texts.fits(config.id())) {
      throw Errors.invalid("id", Texts.fault());
    }
    String json = CODEC.config(config.config()).toString();
    if (json.length() > CHARS) {
      throw Errors.invalid("url", "is longer than " + CHARS + " characters with its credentials");
    }
    connections.transact(Schema.PUSH_CONFIGS, connection -> {
      lockTask(connection, config.taskId());
      if (update(connection, config, json) == 0) {
        if (list(connection, config.taskId()).size() >= EACH) {
          throw Errors.busy("pushConfigsOfTask", EACH);
        }
        insert(connection, config, json);
      }
      return true;
    });
  }

  /**
   * Locks the task until the end of the transaction; otherwise the number of addresses could be
   * wrong.
   */
  private static void lockTask(Connection connection, String taskId) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT id FROM a2a_tasks WHERE id = ? FOR UPDATE")) {
      select.setString(1, taskId);
      try (ResultSet row = select.executeQuery()) {
        if (!row.next()) {
          throw Errors.taskNotFound(taskId);
        }
      }
    }
  }

  private static int update(Connection connection, StoredPushConfig config, String json)
      throws SQLException {
    return write(connection, config, json, """
        UPDATE a2a_push_configs SET protocol_version = ?, config = ?
        WHERE task_id = ? AND id = ?""");
  }

  private static void insert(Connection connection, StoredPushConfig config, String json)
      throws SQLException {
    write(connection, config, json, """
        INSERT INTO a2a_push_configs (protocol_version, config, task_id, id)
        VALUES (?, ?, ?, ?)""");
  }

  private static int write(Connection connection, StoredPushConfig config, String json, String sql)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, config.protocolVersion());
      statement.setString(2, json);
      statement.setString(3, config.taskId());
      statement.setString(4, config.id());
      return statement.executeUpdate();
    }
  }

  @Override
  public List<StoredPushConfig> list(String taskId) {
    return Texts.fits(taskId)
        ? connections.run(Schema.PUSH_CONFIGS, connection -> list(connection, taskId))
        : List.of();
  }

  private static List<StoredPushConfig> list(Connection connection, String taskId)
      throws SQLException {
    List<StoredPushConfig> all = new ArrayList<>();
    try (PreparedStatement select = connection.prepareStatement("""
        SELECT id, config, protocol_version FROM a2a_push_configs WHERE task_id = ?
        ORDER BY id""")) {
      select.setString(1, taskId);
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          all.add(read(taskId, rows));
        }
      }
    }
    return all;
  }

  private static StoredPushConfig read(String taskId, ResultSet row) throws SQLException {
    String id = row.getString(1);
    String config = row.getString(2);
    try {
      return new StoredPushConfig(
          taskId, id, CODEC.readConfigResult(Json.parse(config)), row.getString(3));
    } catch (RuntimeException e) {
      throw new TaskDatabaseException("the row " + id + " of the task " + taskId + " in the table "
          + Schema.PUSH_CONFIGS + " is not an address of A2A 1.0 in JSON; remove the row");
    }
  }

  @Override
  public void delete(String taskId, String id) {
    if (!Texts.fits(taskId) || !Texts.fits(id)) {
      return;
    }
    connections.run(Schema.PUSH_CONFIGS, connection -> {
      try (PreparedStatement delete = connection.prepareStatement(
          "DELETE FROM a2a_push_configs WHERE task_id = ? AND id = ?")) {
        delete.setString(1, taskId);
        delete.setString(2, id);
        return delete.executeUpdate();
      }
    });
  }
}
