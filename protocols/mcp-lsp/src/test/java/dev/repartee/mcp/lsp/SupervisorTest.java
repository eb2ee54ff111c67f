package dev.repartee.mcp.lsp;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.mcp.types.ToolException;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SupervisorTest {
  private final AtomicLong clock = new AtomicLong();
  private final AtomicInteger starts = new AtomicInteger();

  private static void assertFails(CompletableFuture<Session> session, String words) {
    assertThatThrownBy(() -> session.get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(ToolException.class)
        .hasMessageContaining(words);
  }

  @Test
  void aServerThatAlwaysEndsIsStartedFiveTimesInThreeMinutes() {
    try (Supervisor supervisor = new Supervisor(
        () -> {
          starts.incrementAndGet();
          throw new IOException("no such program");
        },
        clock::get)) {
      for (int i = 0; i < 5; i++) {
        clock.addAndGet(TimeUnit.SECONDS.toNanos(10));
        assertFails(supervisor.session(), "cannot be started again: no such program");
      }
      assertFails(supervisor.session(), "not started for the next 140 seconds");
      clock.addAndGet(TimeUnit.SECONDS.toNanos(139));
      assertFails(supervisor.session(), "not started for the next 1 seconds");
      clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
      assertFails(supervisor.session(), "no such program");
      assertFails(supervisor.session(), "not started for the next 10 seconds");
    }
    org.assertj.core.api.Assertions.assertThat(starts).hasValue(6);
  }

  @Test
  void allCallsThatWaitShareOneStart() throws Exception {
    CompletableFuture<Void> release = new CompletableFuture<>();
    try (Supervisor supervisor = new Supervisor(
        () -> {
          starts.incrementAndGet();
          release.join();
          throw new IOException("gone");
        },
        clock::get)) {
      CompletableFuture<Session> one = supervisor.session();
      CompletableFuture<Session> other = supervisor.session();
      CompletableFuture<Session> cancelled = supervisor.session();
      cancelled.cancel(true);
      release.complete(null);
      assertFails(one, "gone");
      assertFails(other, "gone");
    }
    org.assertj.core.api.Assertions.assertThat(starts).hasValue(1);
  }

  @Test
  void nothingIsStartedAfterTheEnd() {
    Supervisor supervisor = new Supervisor(
        () -> {
          throw new IOException("started");
        },
        clock::get);
    supervisor.close();
    assertFails(supervisor.session(), "shutting down");
  }
}
