package dev.repartee.agents.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Pattern;

/** The PostgreSQL database of durable runs. */
final class Database {
  /** The schema of the engine's tables; other applications of the same engine have another one. */
  static final String SCHEMA = "repartee";

  private static final int CONNECTIONS = 10;
  private static final int CONNECT_SECONDS = 10;
  private static final Pattern SECRET = Pattern.compile("(?<=:)[^:@/]*(?=@)|(?<=password=)[^&]*");

  /** Lets the server notice within half a minute that a machine is gone. */
  private static final String KEEPALIVES =
      "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3";

  private final String url;

  /**
   * Reads the address of a database.
   *
   * @param address {@code postgresql://user:password@host:port/database}, or the form of JDBC
   * @throws IllegalArgumentException if it is neither
   */
  Database(String address) {
    if (address.startsWith("jdbc:postgresql:")) {
      this.url = address;
    } else if (address.startsWith("postgresql://") || address.startsWith("postgres://")) {
      this.url = jdbc(address);
    } else {
      throw invalid(address);
    }
  }

  private static String jdbc(String address) {
    URI uri;
    try {
      uri = URI.create(address);
    } catch (IllegalArgumentException e) {
      throw invalid(address);
    }
    String path = uri.getRawPath();
    if (uri.getHost() == null || path == null || path.length() < 2) {
      throw invalid(address);
    }
    StringBuilder url = new StringBuilder("jdbc:postgresql://").append(uri.getHost());
    if (uri.getPort() >= 0) {
      url.append(':').append(uri.getPort());
    }
    url.append(path);
    char separator = '?';
    if (uri.getRawQuery() != null) {
      url.append(separator).append(uri.getRawQuery());
      separator = '&';
    }
    String user = uri.getUserInfo();
    if (user != null) {
      int colon = user.indexOf(':');
      url.append(separator)
          .append("user=")
          .append(encoded(colon < 0 ? user : user.substring(0, colon)));
      if (colon >= 0) {
        url.append("&password=").append(encoded(user.substring(colon + 1)));
      }
    }
    return url.toString();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static IllegalArgumentException invalid(String address) {
    return new IllegalArgumentException("not the address of a PostgreSQL database: "
        + withoutPassword(address)
        + "; write postgresql://USER:PASSWORD@HOST:PORT/DATABASE");
  }

  private static String withoutPassword(String address) {
    return SECRET.matcher(address).replaceAll("***");
  }

  /** Returns the address in the form of JDBC. */
  String url() {
    return url;
  }

  /** Returns the address for messages: without a password. */
  @Override
  public String toString() {
    return withoutPassword(url.substring("jdbc:".length()));
  }

  /** Opens a pool of connections, which grows when it is used. */
  HikariDataSource pool() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setPoolName("repartee-runs");
    config.setMaximumPoolSize(CONNECTIONS);
    config.setMinimumIdle(1);
    config.setInitializationFailTimeout(-1); // the lease reports a database that is not there
    config.setConnectionTimeout(CONNECT_SECONDS * 1_000L);
    config.addDataSourceProperty("tcpKeepAlive", "true");
    config.addDataSourceProperty("ApplicationName", "repartee");
    return new HikariDataSource(config);
  }

  /** Opens one connection whose end the server notices soon. */
  Connection connect() throws SQLException {
    Connection connection = DriverManager.getConnection(url);
    try (Statement statement = connection.createStatement()) {
      statement.execute(KEEPALIVES);
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }
}
