package dev.repartee.a2a.jdbc;

import java.sql.SQLException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reports a failure of the database. The message names the table, the SQLSTATE and a remedy. The
 * exception contains neither the message of the driver nor a cause, because a driver may repeat an
 * address with a password, or a row with the credentials of a client. The log of the database
 * contains the message.
 */
public final class TaskDatabaseException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The SQLSTATE of the driver; null if it gave none. */
  private final @Nullable String state;

  TaskDatabaseException(String message) {
    super(message);
    this.state = null;
  }

  private TaskDatabaseException(String message, SQLException failure) {
    super(message);
    this.state = failure.getSQLState();
    setStackTrace(failure.getStackTrace());
  }

  static TaskDatabaseException of(String table, SQLException failure) {
    String state = failure.getSQLState();
    return new TaskDatabaseException(
        String.format(
            Locale.ROOT,
            "the table %s cannot be used: SQLSTATE %s, code %d (%s); %s",
            table,
            state,
            failure.getErrorCode(),
            failure.getClass().getSimpleName(),
            remedy(state == null ? "" : state, table)),
        failure);
  }

  static TaskDatabaseException ofConnection(SQLException failure) {
    String state = failure.getSQLState();
    boolean refused = state != null && state.startsWith("28");
    return new TaskDatabaseException(
        String.format(
            Locale.ROOT,
            "the DataSource gives no connection: SQLSTATE %s, code %d (%s); %s",
            state,
            failure.getErrorCode(),
            failure.getClass().getSimpleName(),
            refused
                ? "check its user and password"
                : "check its address, that the database runs, that no other process has its file"
                    + " open, and that the pool has enough connections"),
        failure);
  }

  private static String remedy(String state, String table) {
    if (state.equals("42501") || state.equals("90096")) {
      return "grant the user SELECT, INSERT, UPDATE and DELETE on it, and CREATE before its first"
          + " use";
    } else if (state.startsWith("42")) {
      return "rename or remove the tables a2a_tasks, a2a_push_configs and a2a_schema; the next"
          + " start creates them anew; " + table + " lacks columns that this release expects";
    } else if (state.equals("57014")) {
      return "the statement was cancelled, such as by the time limit of the DataSource; check for"
          + " locks and for the load of the database, and try again";
    } else if (state.startsWith("08") || state.startsWith("57")) {
      return "check that the database runs and can be reached, and try again";
    } else if (state.startsWith("40") || state.startsWith("HYT")) {
      return "try again; another transaction held a lock";
    } else if (state.startsWith("53")) {
      return "give the database more space or connections";
    }
    return "see the log of the database";
  }

  /** Returns the SQLSTATE of the driver; null if it gave none. */
  public @Nullable String state() {
    return state;
  }
}
