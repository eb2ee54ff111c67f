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
  /** The schema of the engine's tables; other applications of the engine use other schemas. */
  static final String SCHEMA = "repartee";

  /** How long a run waits for an unreachable database. */
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private static final int CONNECTIONS = 10;

  /**
   * The parameters of all connections. {@code socketTimeout} is longer than every wait in a
   * statement.
   */
  private static final String DEFAULTS =
      "?ApplicationName=repartee&tcpKeepAlive=true&connectTimeout=10&socketTimeout=30";

  private static final int LAST_PORT = 65_535;

  /**
   * The form of an address. It allows only one '@'. A password with an '@' is therefore rejected;
   * otherwise a part of it would be parsed as the host, and appear in messages.
   */
  private static final Pattern ADDRESS = Pattern.compile("(?:jdbc:postgresql|postgres(?:ql)?)://"
      + "(?:(?<user>[^:@/?#]*)(?::(?<password>[^@/?#]*))?@)?"
      + "(?<hosts>[^@/?#]+)/(?<name>[^@/?#]+)(?:\\?(?<query>[^@#]*))?");

  private static final Pattern HOST =
      Pattern.compile("(?:\\[[0-9A-Fa-f:.]+]|[^:\\[\\]\\s]+)(?::(?<port>[0-9]+))?");

  /** Makes the server detect a failed client machine within half a minute. */
  private static final String KEEPALIVES =
      "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3";

  private final PGSimpleDataSource source = new PGSimpleDataSource();
  private final String place;
  private final Duration timeout;

  /**
   * Reads the address of a database.
   *
   * @param address {@code postgresql://user:password@host:port/database}, or a JDBC URL
   * @throws IllegalArgumentException if the address is invalid. The message contains no part of the
   *     address, since it may contain a password
   */
  Database(String address) {
    this(address, TIMEOUT);
  }

  Database(String address, Duration timeout) {
    Matcher parts = ADDRESS.matcher(address);
    if (!parts.matches()) {
      throw invalid("");
    }
    for (String host : parts.group("hosts").split(",", -1)) {
      requireHost(host);
    }
    this.place = parts.group("hosts") + "/" + parts.group("name");
    this.timeout = timeout;
    String url = "jdbc:postgresql://" + place + DEFAULTS + parameter("user", parts.group("user"))
        + parameter("password", parts.group("password"));
    String query = parts.group("query");
    try {
      source.setUrl(query == null ? url : url + "&" + query);
    } catch (IllegalArgumentException e) { // drop it: its message contains the address
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

  /** Returns a part of the address as a parameter. In a parameter, '+' would be read as a space. */
  private static String parameter(String name, @Nullable String value) {
    return value == null ? "" : "&" + name + "=" + value.replace("+", "%2B").replace("&", "%26");
  }

  private static IllegalArgumentException invalid(String reason) {
    return new IllegalArgumentException("not the address of a PostgreSQL database" + reason
        + "; write postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with %40 for an @ in a part, %2F"
        + " for /, %3F for ?, %23 for # and %25 for %");
  }

  /** Returns the address for messages, without user, password and parameters. */
  @Override
  public String toString() {
    return "postgresql://" + place;
  }

  /**
   * Opens a pool of connections, which grows on demand. A request for a connection waits while the
   * database is unreachable. The exception after this wait has no SQL state, because the engine
   * retries operations with certain SQL states without a limit.
   */
  HikariDataSource pool() {
    HikariConfig config = new HikariConfig();
    config.setDataSource(source);
    config.setPoolName("repartee-runs");
    config.setMaximumPoolSize(CONNECTIONS);
    config.setMinimumIdle(1);
    config.setInitializationFailTimeout(-1); // the lease reports an unreachable database
    config.setConnectionTimeout(timeout.toMillis());
    return new HikariDataSource(config) {
      @Override
      public Connection getConnection() throws SQLException {
        try {
          return super.getConnection();
        } catch (SQLTransientConnectionException e) {
          throw new SQLException("the database " + Database.this + " has not been reachable for "
              + timeout.toSeconds() + " s");
        }
      }
    };
  }

  /** Returns how long a call waits for this database. */
  Duration timeout() {
    return timeout;
  }

  /** Returns the message of the innermost cause in one line; the driver has written it. */
  static String reason(Throwable thrown) {
    Throwable cause = thrown;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return String.valueOf(cause.getMessage()).replaceAll("\\s*\\R\\s*", "; ");
  }

  /** Returns whether a database has caused an exception. */
  static boolean isCause(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException) {
        return true;
      }
    }
    return false;
  }

  /** Returns the exception for callers. Its message names this database. */
  UncheckedIOException failure(Throwable thrown) {
    String reason = reason(thrown);
    String message = reason.startsWith("the database " + this)
        ? reason
        : "cannot use the database " + this + ": " + reason;
    return new UncheckedIOException(message, new IOException(message, thrown));
  }

  /** Returns the source of connections outside of the pool. */
  PGSimpleDataSource source() {
    return source;
  }

  /** Opens a connection for a lease: the server detects its end soon. */
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
