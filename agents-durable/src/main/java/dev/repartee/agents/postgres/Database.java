package dev.repartee.agents.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** The PostgreSQL database of durable runs. */
final class Database {
  /** The schema of the engine's tables; other applications of the same engine have another one. */
  static final String SCHEMA = "repartee";

  /** The time for which a run waits for a database that is not reachable. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final int CONNECTIONS = 10;

  /** No statement waits for another one as long as the limit for an answer. */
  private static final String DEFAULTS =
      "?ApplicationName=repartee&tcpKeepAlive=true&connectTimeout=10&socketTimeout=30";

  private static final int LAST_PORT = 65_535;

  /**
   * An '@' stands before the hosts only. So no part of a password that should be percent-encoded
   * passes for another part of the address.
   */
  private static final Pattern ADDRESS = Pattern.compile("(?:jdbc:postgresql|postgres(?:ql)?)://"
      + "(?:(?<user>[^:@/?#]*)(?::(?<password>[^@/?#]*))?@)?"
      + "(?<hosts>[^@/?#]+)/(?<name>[^@/?#]+)(?:\\?(?<query>[^@#]*))?");

  private static final Pattern HOST =
      Pattern.compile("(?:\\[[0-9A-Fa-f:.]+]|[^:\\[\\]\\s]+)(?::(?<port>[0-9]+))?");

  /** Lets the server notice within half a minute that a machine is gone. */
  private static final String KEEPALIVES =
      "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3";

  private final PGSimpleDataSource source = new PGSimpleDataSource();
  private final String place;
  private final Duration patience;

  /**
   * Reads the address of a database.
   *
   * @param address {@code postgresql://user:password@host:port/database}, or the form of JDBC
   * @throws IllegalArgumentException if it is neither; the message has no part of the address,
   *     which may contain a password
   */
  Database(String address) {
    this(address, PATIENCE);
  }

  Database(String address, Duration patience) {
    Matcher parts = ADDRESS.matcher(address);
    if (!parts.matches()) {
      throw invalid("");
    }
    for (String host : parts.group("hosts").split(",", -1)) {
      requireHost(host);
    }
    this.place = parts.group("hosts") + "/" + parts.group("name");
    this.patience = patience;
    String url = "jdbc:postgresql://" + place + DEFAULTS + parameter("user", parts.group("user"))
        + parameter("password", parts.group("password"));
    String query = parts.group("query");
    try {
      source.setUrl(query == null ? url : url + "&" + query);
    } catch (IllegalArgumentException e) { // its message has the address
      throw invalid("");
    }
  }

  private static void requireHost(String host) {
    Matcher parts = HOST.matcher(host);
    if (!parts.matches()) {
      throw invalid("");
    }
    String port = parts.group("port");
    if (port != null && (port.length() > 5 || !isPort(Integer.parseInt(port)))) {
      throw invalid(": a port is a number from 1 to " + LAST_PORT);
    }
  }

  private static boolean isPort(int number) {
    return number > 0 && number <= LAST_PORT;
  }

  /** Returns a part of the address as a parameter, where a '+' is a blank. */
  private static String parameter(String name, @Nullable String value) {
    return value == null ? "" : "&" + name + "=" + value.replace("+", "%2B").replace("&", "%26");
  }

  private static IllegalArgumentException invalid(String reason) {
    return new IllegalArgumentException("not the address of a PostgreSQL database" + reason
        + "; write postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with %40 for an @ in a part, %2F"
        + " for /, %3F for ?, %23 for # and %25 for %");
  }

  /** Returns the address for messages: without the user and the parameters. */
  @Override
  public String toString() {
    return "postgresql://" + place;
  }

  /**
   * Opens a pool of connections, which grows when it is used. It waits for a database that is not
   * reachable. An exception that follows has no state of SQL: the engine repeats what has failed
   * with a known state, without end.
   */
  HikariDataSource pool() {
    HikariConfig config = new HikariConfig();
    config.setDataSource(source);
    config.setPoolName("repartee-runs");
    config.setMaximumPoolSize(CONNECTIONS);
    config.setMinimumIdle(1);
    config.setInitializationFailTimeout(-1); // the lease reports a database that is not there
    config.setConnectionTimeout(patience.toMillis());
    return new HikariDataSource(config) {
      @Override
      public Connection getConnection() throws SQLException {
        try {
          return super.getConnection();
        } catch (SQLTransientConnectionException e) {
          throw new SQLException("the database " + Database.this + " has not been reachable for "
              + patience.toSeconds() + " s");
        }
      }
    };
  }

  /** Returns the time for which a call waits for this database. */
  Duration patience() {
    return patience;
  }

  /** Returns the reason of an exception in one line: that of the driver, if there is one. */
  static String reason(Throwable thrown) {
    Throwable cause = thrown;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return String.valueOf(cause.getMessage()).replaceAll("\\s*\\R\\s*", "; ");
  }

  /** Returns whether an exception has its cause in a database. */
  static boolean isCause(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException) {
        return true;
      }
    }
    return false;
  }

  /** Returns the exception for callers, whose message names this database. */
  UncheckedIOException failure(Throwable thrown) {
    String reason = reason(thrown);
    String message = reason.startsWith("the database " + this)
        ? reason
        : "cannot use the database " + this + ": " + reason;
    return new UncheckedIOException(message, new IOException(message, thrown));
  }

  /** Returns the source of connections that are in no pool. */
  PGSimpleDataSource source() {
    return source;
  }

  /** Opens one connection whose end the server notices soon. */
  Connection connect() throws SQLException {
    Connection connection = source.getConnection();
    try (Statement statement = connection.createStatement()) {
      statement.execute(KEEPALIVES);
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }
}
