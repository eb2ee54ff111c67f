package dev.repartee.a2a.jdbc;

import dev.repartee.a2a.server.TaskStore;
import dev.repartee.a2a.types.TaskState;
import dev.repartee.a2a.wire.PageToken;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The conditions of a list of tasks, with their values as parameters. */
final class Filter {
  private static final int NANOS = 1_000_000;

  private final List<String> conditions = new ArrayList<>();
  private final List<Object> values = new ArrayList<>();

  private Filter() {}

  /** Returns the conditions of all pages of a list. */
  static Filter of(TaskStore.Query query) {
    Filter filter = new Filter();
    filter.equal("owner", query.owner());
    filter.equal("context_id", query.contextId());
    TaskState state = query.state();
    filter.equal("state", state == null ? null : state.name());
    Instant since = query.since();
    if (since != null) {
      long millis = millis(since);
      // The table keeps milliseconds; 0 means an unknown time.
      long first = since.getNano() % NANOS == 0 ? millis : millis + 1;
      filter.add("status_time >= ?", Math.max(1, first));
    }
    return filter;
  }

  /** Returns the conditions of the tasks after a place. */
  Filter after(PageToken place) {
    Filter filter = new Filter();
    filter.conditions.addAll(conditions);
    filter.values.addAll(values);
    long millis = millis(place.time());
    filter.add("status_time <= ?", millis); // a range of the index, unlike the next condition
    filter.add("(status_time < ? OR id > ?)", millis, place.id());
    return filter;
  }

  private void equal(String column, @Nullable String value) {
    if (value != null) {
      add(column + " = ?", value);
    }
  }

  private void add(String condition, Object... parameters) {
    conditions.add(condition);
    values.addAll(List.of(parameters));
  }

  /** Returns the clause, or nothing if all tasks belong to the list. */
  String where() {
    return conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions);
  }

  /** Sets the parameters of the clause; returns the number of the next one. */
  int set(PreparedStatement statement) throws SQLException {
    int next = 1;
    for (Object value : values) {
      statement.setObject(next++, value);
    }
    return next;
  }

  /** Returns the nearest time that the table can store, in milliseconds. */
  static long millis(Instant time) {
    try {
      return time.toEpochMilli();
    } catch (ArithmeticException e) {
      return time.isBefore(Instant.EPOCH) ? Long.MIN_VALUE : Long.MAX_VALUE - 1;
    }
  }
}
