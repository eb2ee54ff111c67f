package dev.repartee.agents.postgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/** One PostgreSQL server for all tests of this module, with a database for each test. */
final class TestDatabase {
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static @Nullable String server; // guarded by TestDatabase.class
  private static @Nullable String absent; // guarded by TestDatabase.class

  private TestDatabase() {}

  /** Creates a database, and returns its URL. Skips the test if there is no server. */
  static synchronized String create() throws Exception {
    String admin = server();
    String name = "runs_" + ProcessHandle.current().pid() + "_" + NUMBER.incrementAndGet();
    execute(admin, "CREATE DATABASE " + name);
    return admin.replaceFirst("/[^/?]*(?=\\?|$)", "/" + name);
  }

  /** Executes a statement in a database. */
  static void execute(String url, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String server() {
    String given = System.getProperty("repartee.postgres", "");
    if (!given.isEmpty()) {
      return given;
    }
    if (server == null && absent == null) {
      try {
        @SuppressWarnings("resource") // it ends with this process
        EmbeddedPostgres postgres = EmbeddedPostgres.builder()
            .setPGStartupWait(Duration.ofSeconds(60))
            .setServerConfig("fsync", "off")
            .start();
        server = postgres.getJdbcUrl("postgres", "postgres");
      } catch (Exception | LinkageError e) {
        absent = "the embedded PostgreSQL does not start here: " + e;
      }
    }
    Assumptions.assumeTrue(server != null, absent);
    return server;
  }
}
