package dev.repartee.agents.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("ci")
class DatabaseTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "postgresql://me:p%40s+s@db.example:5433/runs",
        "postgresql://m%65:p%40s%2Bs@db.example:5433/runs",
        "postgres://me:p%40s+s@db.example:5433/runs?sslmode=require",
        "postgres://db.example:5433,[::1]:5433/runs?user=me&password=p%40s%2Bs",
        "jdbc:postgresql://db.example:5433/runs?user=me&password=p%40s%2Bs",
        "jdbc:postgresql://me:p%40s+s@db.example:5433/runs",
      })
  void eachFormOfTheAddressOfADatabaseIsUnderstood(String address) {
    Database database = new Database(address);
    assertThat(database.source().getServerNames()[0]).isEqualTo("db.example");
    assertThat(database.source().getPortNumbers()[0]).isEqualTo(5433);
    assertThat(database.source().getDatabaseName()).isEqualTo("runs");
    assertThat(database.source().getUser()).isEqualTo("me");
    assertThat(database.source().getPassword()).isEqualTo("p@s+s");
    assertThat(database.toString()).startsWith("postgresql://db.example:5433").endsWith("/runs");
  }

  @Test
  void aPasswordThatIsNotInTheAddressComesFromTheFileOfPasswords(@TempDir Path folder)
      throws Exception {
    Path file = Files.writeString(folder.resolve("pgpass"), "db.example:5432:runs:me:of the file");
    System.setProperty("org.postgresql.pgpassfile", file.toString());
    try {
      assertThat(new Database("postgresql://me@db.example/runs").source().getPassword())
          .isEqualTo("of the file");
    } finally {
      System.clearProperty("org.postgresql.pgpassfile");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mysql://me:secret@127.0.0.1/runs",
        "postgresql://me:secret@127.0.0.1",
        "postgresql://me:secret@127.0.0.1/",
        "postgresql://me:secret@127.0.0.1/a/b",
        "postgresql://me:secret@127.0.0.1:5432x/runs",
        "postgresql://me:QQ/cret@127.0.0.1/runs",
        "postgresql://me:12/cret@127.0.0.1",
        "postgresql://me:12/x?cret@127.0.0.1/runs",
        "postgresql://me:QQ@cret@127.0.0.1/runs",
        "postgresql://me:QQ?cret@127.0.0.1/runs",
        "postgresql://me:QQ#cret@127.0.0.1/runs",
        "postgresql://me:QQ%cret@127.0.0.1/runs",
        "jdbc:postgresql://me:QQ@cret@127.0.0.1/runs",
        "jdbc:postgresql://127.0.0.1/runs?password=secret%",
        "jdbc:postgresql:///?password=secret",
        "jdbc:postgresql://x:y/z?password=secret",
      })
  void anAddressThatIsNotUnderstoodIsRefusedWithTheFormToWriteAndIsNotShown(String address) {
    assertThatThrownBy(() -> new Database(address))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("write postgresql://USER:PASSWORD@HOST:PORT/DATABASE")
        .hasMessageNotContainingAny("QQ", "cret", "127.0.0.1")
        .hasNoCause();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "99999", "123456789012345678901"})
  void aPortThatDoesNotExistIsNamedAsTheReason(String port) {
    assertThatThrownBy(() -> new Database("postgresql://me:secret@127.0.0.1:" + port + "/runs"))
        .hasMessageStartingWith("not the address of a PostgreSQL database: a port is a number from"
            + " 1 to 65535; write ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "postgresql://me:secret@127.0.0.1:1/runs",
        "postgresql://127.0.0.1:1/runs?password=secret",
        "jdbc:postgresql://127.0.0.1:1/runs?user=me&password=secret&sslmode=nonsense",
        "jdbc:postgresql://127.0.0.1:1/runs?user=me&sslmode=require&sslpassword=secret",
      })
  void noErrorOfAConnectionHasThePassword(String address) {
    StringWriter trace = new StringWriter();
    assertThatThrownBy(() -> new Database(address).connect())
        .isInstanceOf(SQLException.class)
        .satisfies(thrown -> thrown.printStackTrace(new PrintWriter(trace, true)));
    assertThat(trace.toString()).isNotEmpty().doesNotContain("secret");
  }

  @Test
  void theAddressIsShownWithoutUserAndParameters() {
    assertThat(new Database("postgresql://me:secret@localhost/runs?password=secret"))
        .hasToString("postgresql://localhost/runs");
  }
}
