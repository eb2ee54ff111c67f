package dev.repartee.a2a.jdbc;

import dev.repartee.a2a.server.TaskStore;
import java.nio.file.Path;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** H2, in memory and in a file. */
class H2Test {
  /** The default is 2 s, less than a pause of a busy machine. */
  private static final String PATIENT = ";LOCK_TIMEOUT=60000";

  @Nested
  class Tasks extends TaskStoreContract {
    private JdbcConnectionPool pool;

    @Override
    TaskStore open() {
      pool = JdbcConnectionPool.create("jdbc:h2:mem:" + UUID.randomUUID() + PATIENT, "sa", "");
      return TaskDatabase.open(pool, ROOM).tasks();
    }

    @AfterEach
    void close() {
      pool.dispose();
    }
  }

  @Nested
  class Database extends TaskDatabaseContract {
    @TempDir
    private Path folder;

    private JdbcConnectionPool pool;

    private String url() {
      return "jdbc:h2:file:" + folder.resolve("tasks").toAbsolutePath() + PATIENT;
    }

    @Override
    DataSource create() {
      pool = JdbcConnectionPool.create(url(), "sa", "right");
      return pool;
    }

    @Override
    DataSource reopen() {
      pool.dispose(); // the last connection closes the file
      return create();
    }

    @Override
    String numbers() {
      return "SYSTEM_RANGE(1, 3000) AS numbers(n)";
    }

    @Override
    DataSource withPassword(String password) {
      JdbcDataSource other = new JdbcDataSource();
      other.setURL(url());
      other.setUser("sa");
      other.setPassword(password);
      return other;
    }

    @AfterEach
    void close() {
      pool.dispose();
    }
  }
}
