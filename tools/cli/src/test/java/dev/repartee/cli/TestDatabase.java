package dev.repartee.cli;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/** One PostgreSQL server for the tests of this process, with a database for each test. */
final class TestDatabase {
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static @Nullable EmbeddedPostgres server; // guarded by TestDatabase.class
  private static @Nullable String absent; // guarded by TestDatabase.class

  private TestDatabase() {}

  /** Creates a database, and returns its URL. Skips the test without a server. */
  static synchronized String create() throws Exception {
    if (server == null && absent == null) {
      try {
        server = EmbeddedPostgres.builder()
            .setPGStartupWait(Duration.ofSeconds(60))
            .setServerConfig("fsync", "off")
            .start();
      } catch (Exception | LinkageError e) {
        absent = "the embedded PostgreSQL does not start here: " + e;
      }
    }
    Assumptions.assumeTrue(server != null, absent);
    String name = "runs_" + NUMBER.incrementAndGet();
    execute("/postgres", "CREATE DATABASE " + name);
    return "postgresql://postgres:postgres@127.0.0.1:" + server.getPort() + "/" + name;
  }

  /** Executes a statement in the database with a URL. */
  static synchronized void execute(String url, String sql) throws Exception {
    String name = url.substring(url.lastIndexOf('/') + 1);
    try (Connection connection = DriverManager.getConnection(server.getJdbcUrl("postgres", name));
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
