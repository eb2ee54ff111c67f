package dev.repartee.a2a.jdbc;

import dev.repartee.a2a.server.StoredTask;
import dev.repartee.a2a.server.TaskStore;
import dev.repartee.a2a.types.ListTasksResponse;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.wire.A2aJson;
import dev.repartee.a2a.wire.Errors;
import dev.repartee.a2a.wire.PageToken;
import dev.repartee.a2a.wire.ProtocolVersion;
import dev.repartee.json.Json;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tasks in the table a2a_tasks, as JSON of version 1.0. */
final class JdbcTaskStore implements TaskStore {
  /** The maximum number of tasks that the total size of a list counts. */
  static final int COUNTED = 10_000;

  /** The number of rows that PostgreSQL sends at a time, since each may be large. */
  private static final int FETCHED = 10;

  private static final A2aJson CODEC = A2aJson.lenient(ProtocolVersion.V1_0);

  private final Connections connections;
  private final int maxTaskChars;

  JdbcTaskStore(Connections connections, int maxTaskChars) {
    this.connections = connections;
    this.maxTaskChars = maxTaskChars;
  }

  // ---------------------------------------------------------------- one task

  @Override
  public @Nullable StoredTask find(String id) {
    if (!Texts.fits(id)) {
      return null;
    }
    List<StoredTask> found = connections.run(Schema.TASKS, connection -> find(connection, id));
    return found.isEmpty() ? null : found.get(0);
  }

  private static List<StoredTask> find(Connection connection, String id) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT task, owner, version FROM a2a_tasks WHERE id = ?")) {
      select.setString(1, id);
      try (ResultSet row = select.executeQuery()) {
        return row.next()
            ? List.of(new StoredTask(read(id, row), row.getString(2), row.getLong(3)))
            : List.of();
      }
    }
  }

  private static Task read(String id, ResultSet row) throws SQLException {
    String text = row.getString(1);
    try {
      return CODEC.readTask(Json.parse(text));
    } catch (RuntimeException e) {
      throw new TaskDatabaseException("the row " + id + " of the table " + Schema.TASKS
          + " is not a task of A2A 1.0 in JSON; remove the row");
    }
  }

  @Override
  public boolean save(StoredTask changed) {
    Task task = changed.task();
    if (!Texts.fits(task.id())) {
      throw new IllegalArgumentException("the id of the task " + Texts.fault());
    }
    String owner = changed.owner();
    if (owner != null && !Texts.fits(owner)) {
      throw new IllegalArgumentException("the name of the client " + Texts.fault());
    }
    String context = task.contextId();
    if (context != null && !Texts.fits(context)) {
      throw Errors.invalid("message.contextId", Texts.fault());
    }
    String json = CODEC.task(task).toString();
    if (json.length() > maxTaskChars && !task.state().isTerminal()) { // an end must not be lost
      throw Errors.busy("taskChars", maxTaskChars);
    }
    return connections.run(
        Schema.TASKS, connection -> save(connection, changed, changed.version() == 0, json));
  }

  private static boolean save(Connection connection, StoredTask changed, boolean isNew, String json)
      throws SQLException {
    Task task = changed.task();
    String sql = isNew ? """
            INSERT INTO a2a_tasks (version, owner, context_id, state, status_time, task, id)
            VALUES (?, ?, ?, ?, ?, ?, ?)""" : """
            UPDATE a2a_tasks SET version = ?, owner = ?, context_id = ?, state = ?,
              status_time = ?, task = ?
            WHERE id = ? AND version = ?""";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, changed.version() + 1);
      statement.setString(2, changed.owner());
      statement.setString(3, task.contextId());
      statement.setString(4, task.state().name());
      statement.setLong(5, Filter.millis(PageToken.of(task).time()));
      statement.setString(6, json);
      statement.setString(7, task.id());
      if (!isNew) {
        statement.setLong(8, changed.version());
      }
      return statement.executeUpdate() == 1;
    } catch (SQLException e) {
      if (isNew && Connections.isDuplicate(e)) {
        return false;
      }
      throw e;
    }
  }

  // ---------------------------------------------------------------- lists

  @Override
  public ListTasksResponse list(Query query) {
    PageToken after = query.pageToken() == null ? null : PageToken.parse(query.pageToken());
    if (after != null && !Texts.fits(after.id())) {
      throw new IllegalArgumentException(
          "this is not a page token of this server; begin the list again without a token");
    }
    String owner = query.owner();
    String context = query.contextId();
    if (owner != null && !Texts.fits(owner) || context != null && !Texts.fits(context)) {
      return new ListTasksResponse(List.of(), "", query.pageSize(), 0);
    }
    Filter all = Filter.of(query);
    return connections.transact(Schema.TASKS, connection -> {
      int total = count(connection, all);
      return page(connection, after == null ? all : all.after(after), query.pageSize(), total);
    });
  }

  /** Returns the SQL of a count. Its last parameter limits the number of rows that are read. */
  static String countSql(Filter filter) {
    return "SELECT COUNT(*) FROM (SELECT id FROM a2a_tasks" + filter.where()
        + " LIMIT ?) AS counted";
  }

  /** Returns the SQL of a page. */
  static String pageSql(Filter filter) {
    return "SELECT task, id FROM a2a_tasks" + filter.where()
        + " ORDER BY status_time DESC, id LIMIT ?";
  }

  private static int count(Connection connection, Filter filter) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(countSql(filter))) {
      select.setInt(filter.set(select), COUNTED);
      try (ResultSet row = select.executeQuery()) {
        row.next();
        return row.getInt(1);
      }
    }
  }

  /** Returns a page. Large tasks make it shorter. */
  private ListTasksResponse page(Connection connection, Filter filter, int size, int total)
      throws SQLException {
    List<Task> page = new ArrayList<>();
    boolean more = false;
    try (PreparedStatement select = connection.prepareStatement(pageSql(filter))) {
      select.setFetchSize(FETCHED);
      select.setInt(filter.set(select), size + 1);
      try (ResultSet rows = select.executeQuery()) {
        long chars = 0;
        while (!more && rows.next()) {
          more = page.size() == size || chars > 2L * maxTaskChars;
          if (!more) {
            chars += rows.getString(1).length();
            page.add(read(rows.getString(2), rows));
          }
        }
      }
    }
    String next = more ? PageToken.of(page.get(page.size() - 1)).text() : "";
    return new ListTasksResponse(page, next, size, total);
  }
}
