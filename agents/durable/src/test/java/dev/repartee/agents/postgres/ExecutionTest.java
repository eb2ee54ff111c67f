package dev.repartee.agents.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.json.Json;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("ci")
@Timeout(60)
class ExecutionTest {
  private static final Json FIRST = Json.of("first");
  private static final Json SECOND = Json.of("second");

  /**
   * Checkpoints in memory. Like the engine, they do not report that another process has written a
   * checkpoint first.
   */
  private static final class Memory {
    private final List<String> texts = new ArrayList<>();

    /** Returns the checkpoints as one process sees them. */
    Execution.Checkpoints view() {
      return new Execution.Checkpoints() {
        private int next;

        @Override
        public String next(Execution.Content content) {
          int number = next++;
          synchronized (Memory.this) {
            if (number < texts.size()) {
              return texts.get(number);
            }
          }
          String text = content.get();
          synchronized (Memory.this) {
            if (number == texts.size()) {
              texts.add(text);
            }
          }
          return text;
        }

        @Override
        public String read(int number) {
          synchronized (Memory.this) {
            return texts.get(number);
          }
        }
      };
    }
  }

  private final Memory memory = new Memory();

  private CompletableFuture<Json> carry(Execution execution) {
    return carry(execution, memory.view());
  }

  private static CompletableFuture<Json> carry(
      Execution execution, Execution.Checkpoints checkpoints) {
    return CompletableFuture.supplyAsync(
        () -> execution.execute(checkpoints, () -> {}), task -> new Thread(task).start());
  }

  private static Execution execution(String name) {
    return new Execution("run", name, List.of());
  }

  @Test
  void anExecutionReadsTheRecordsOfEarlierOnesAndWritesItsOwn() throws Exception {
    Execution one = execution("one");
    CompletableFuture<Json> carried = carry(one);
    assertThat(one.claimed().get()).isEmpty();
    one.append(FIRST);
    one.abandon("its process was killed");
    assertThatThrownBy(carried::join).isInstanceOf(CompletionException.class);

    Execution two = execution("two");
    CompletableFuture<Json> result = carry(two);
    assertThat(two.claimed().get()).containsExactly(FIRST);
    two.append(SECOND);
    two.end(Json.TRUE);
    assertThat(result.get()).isEqualTo(Json.TRUE);

    // After a crash between the last checkpoint and the outcome.
    assertThat(carry(execution("three")).get()).isEqualTo(Json.TRUE);
  }

  @Test
  void anExecutionWhoseRunWasTakenOverLosesItsNextRecord() throws Exception {
    Execution slow = execution("slow");
    CompletableFuture<Json> carried = carry(slow);
    slow.claimed().get();
    slow.append(FIRST);

    Execution other = execution("other");
    CompletableFuture<Json> result = carry(other);
    assertThat(other.claimed().get()).containsExactly(FIRST);

    assertThatThrownBy(() -> slow.append(SECOND))
        .isInstanceOf(LostRunException.class)
        .hasMessage("this process no longer executes the run run: another process executes it");
    assertThatThrownBy(carried::join).isInstanceOf(CompletionException.class);
    other.append(SECOND);
    other.end(Json.TRUE);
    assertThat(result.get()).isEqualTo(Json.TRUE);
  }

  @Test
  void aRunThatAlwaysEndsWithACrashIsGivenUp() throws Exception {
    for (int i = 0; i < 20; i++) {
      Execution execution = execution("execution-" + i);
      CompletableFuture<Json> carried = carry(execution);
      execution.claimed().get();
      execution.abandon("crash");
      assertThatThrownBy(carried::join).isInstanceOf(CompletionException.class);
    }

    Json result = carry(execution("last")).get();

    assertThat(result.as(RunOutcome.class).failure().orElseThrow().message())
        .isEqualTo("the run was started 20 times, and no execution has reached its end");
  }

  @Test
  void theActionForALostRunDoesNotRunWhenTheRunHasAResult() throws Exception {
    List<String> actions = new ArrayList<>();
    Execution done = execution("done");
    CompletableFuture<Json> carried = carry(done);
    done.claimed().get();
    done.whenLost(actions::add);
    done.end(Json.TRUE);
    carried.get();
    assertThat(actions).isEmpty();
    assertThatThrownBy(() -> done.append(FIRST)).hasMessageContaining("it has ended");
  }

  @Test
  void aRecordThatWaitsForTheDatabaseIsRefusedWhenTheDatabaseFails() throws Exception {
    CountDownLatch writing = new CountDownLatch(1);
    CountDownLatch failing = new CountDownLatch(1);
    Execution.Checkpoints database = new Execution.Checkpoints() {
      private String claim = "";

      @Override
      public String next(Execution.Content content) {
        if (claim.isEmpty()) {
          claim = content.get();
          return claim;
        }
        content.get();
        writing.countDown();
        try {
          failing.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
        throw new IllegalStateException(new SQLException("the database is gone"));
      }

      @Override
      public String read(int number) {
        return claim;
      }
    };
    List<String> reasons = new ArrayList<>();
    Execution execution = execution("one");
    CompletableFuture<Json> carried = carry(execution, database);
    execution.claimed().get();
    execution.whenLost(reasons::add);
    CompletableFuture<Void> appended =
        CompletableFuture.runAsync(() -> execution.append(FIRST), task -> new Thread(task).start());
    writing.await();
    failing.countDown();

    assertThatThrownBy(appended::join).hasMessageContaining("the database is gone");
    assertThatThrownBy(carried::join).hasCauseInstanceOf(Execution.Abandoned.class);
    assertThat(reasons).containsExactly("the database is gone");
  }
}
