package dev.repartee.agents.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.json.Json;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("ci")
@Timeout(60)
class RunTableTest {
  private static final String DEAD = "host:1:abc";
  private static final Json PLAN = Json.parse("{\"name\":\"plan\"}");

  private String database;
  private DurableRuns runs;
  private RunTable table;

  @BeforeEach
  void prepare() throws Exception {
    database = TestDatabase.create();
    runs = DurableRuns.connect(database);
    runs.submit("run-1", PLAN, Json.NULL);
    table = new RunTable(new Lease(new Database(database)), "1");
  }

  @AfterEach
  void close() {
    table.close();
    runs.close();
  }

  private void set(String assignments) throws Exception {
    TestDatabase.execute(database, "UPDATE repartee.workflow_status SET " + assignments);
  }

  private DurableRun.State state() {
    return runs.find("run-1").orElseThrow().state();
  }

  @Test
  void theRunsOfADeadProcessAreQueuedAgainButNotACancelledOne() throws Exception {
    set("status = 'PENDING', executor_id = '" + DEAD + "'");
    assertThat(state()).isEqualTo(DurableRun.State.INTERRUPTED);
    assertThat(table.takeOver(DEAD, "another", "runs")).isTrue();
    assertThat(state()).isEqualTo(DurableRun.State.INTERRUPTED);
    assertThat(table.takeOver(DEAD, "run-1", "runs")).isTrue();
    assertThat(state()).isEqualTo(DurableRun.State.QUEUED);

    set("status = 'PENDING'");
    runs.cancel("run-1");
    assertThat(table.takeOver(DEAD, null, "runs")).isTrue();
    assertThat(state()).isEqualTo(DurableRun.State.CANCELLED);
  }

  @Test
  void aRunOfAnotherVersionIsLeftToItsOwnProcesses() throws Exception {
    set("application_version = '2'");
    assertThat(table.move("runs", "me", 10)).isEmpty();
    assertThatThrownBy(() -> runs.open("run-1", PLAN, Json.NULL))
        .hasMessageContaining("the run run-1 was started by another version of this library");

    set("application_version = '1'");
    assertThat(table.move("runs", "me", 10)).containsExactly("run-1");
  }

  @Test
  void aProcessIsDeadAsSoonAsItHasReleasedItsLeaseAndTakesNoOther() throws Exception {
    Lease lease = new Lease(new Database(database));
    RunTable other = new RunTable(lease, "1");
    other.holdLease();
    assertThat(table.isDead(lease.owner())).isFalse();

    other.close();

    assertThat(table.isDead(lease.owner())).isTrue();
    assertThatThrownBy(other::holdLease).hasMessageEndingWith("is closed");
  }
}
