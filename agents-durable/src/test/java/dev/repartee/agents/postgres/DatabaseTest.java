package dev.repartee.agents.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class DatabaseTest {
  @Test
  void bothFormsOfTheAddressOfADatabaseAreUnderstood() {
    assertThat(new Database("postgresql://me:p%40ss@db.example:5433/runs?sslmode=require").url())
        .isEqualTo(
            "jdbc:postgresql://db.example:5433/runs?sslmode=require&user=me&password=p%40ss");
    assertThat(new Database("postgres://me@localhost/runs").url())
        .isEqualTo("jdbc:postgresql://localhost/runs?user=me");
    assertThat(new Database("jdbc:postgresql://localhost/runs").url())
        .isEqualTo("jdbc:postgresql://localhost/runs");
  }

  @Test
  void anotherAddressIsRefusedWithTheFormToWrite() {
    assertThatThrownBy(() -> new Database("mysql://me:secret@localhost/runs"))
        .hasMessage("not the address of a PostgreSQL database: mysql://me:***@localhost/runs;"
            + " write postgresql://USER:PASSWORD@HOST:PORT/DATABASE");
    assertThatThrownBy(() -> new Database("postgresql://localhost"))
        .hasMessageContaining("postgresql://localhost; write");
  }

  @Test
  void theAddressIsShownWithoutThePassword() {
    assertThat(new Database("postgresql://me:secret@localhost/runs"))
        .hasToString("postgresql://localhost/runs?user=me&password=***");
  }
}
