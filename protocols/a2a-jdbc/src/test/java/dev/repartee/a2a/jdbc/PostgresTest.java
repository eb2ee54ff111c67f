package dev.repartee.a2a.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.a2a.server.TaskStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** PostgreSQL, if it is installed. */
@Tag("ci")
class PostgresTest {
  @TempDir
  private static Path folder;

  private static Postgres server;

  @BeforeAll
  static void start() throws Exception {
    Path programs = Postgres.programs();
    assumeTrue(
        programs != null,
        "PostgreSQL is not installed: no initdb in the PATH and in /usr/lib/postgresql, or no user"
            + " postgres although the tests run as root");
    server = Postgres.start(programs, folder);
  }

  @AfterAll
  static void stop() throws Exception {
    if (server != null) {
      server.close();
    }
  }

  @Nested
  class Tasks extends TaskStoreContract {
    @Override
    TaskStore open() throws Exception {
      return TaskDatabase.open(server.newSchema(), ROOM).tasks();
    }
  }

  @Nested
  class Database extends TaskDatabaseContract {
    private PGSimpleDataSource source;

    @Override
    DataSource create() throws Exception {
      source = server.newSchema();
      return source;
    }

    @Override
    DataSource reopen() {
      return source;
    }

    @Override
    String numbers() {
      return "generate_series(1, 3000) AS numbers(n)";
    }

    @Test
    void aStatementThatExceedsTheTimeLimitOfTheDataSourceFails() throws Exception {
      TaskDatabase.open(source);
      PGSimpleDataSource limited = new PGSimpleDataSource();
      limited.setUrl(source.getUrl());
      limited.setUser(source.getUser());
      TaskStore store = TaskDatabase.open(limited).tasks();
      limited.setOptions("-c statement_timeout=200ms"); // only now: opening may take longer
      try (Connection other = source.getConnection();
          Statement lock = other.createStatement()) {
        other.setAutoCommit(false);
        lock.execute("LOCK TABLE a2a_tasks");
        assertThatThrownBy(() -> store.find("t"))
            .isInstanceOfSatisfying(
                TaskDatabaseException.class, e -> assertThat(e.state()).isEqualTo("57014"))
            .hasMessageContaining("the time limit of the DataSource");
      }
    }

    @Override
    DataSource withPassword(String password) {
      PGSimpleDataSource other = new PGSimpleDataSource();
      other.setUrl(source.getUrl());
      other.setUser("stranger");
      other.setPassword(password);
      return other;
    }
  }
}
