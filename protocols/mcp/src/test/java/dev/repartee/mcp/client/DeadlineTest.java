package dev.repartee.mcp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallTimeoutException;
import dev.repartee.Server;
import dev.repartee.json.Json;
import dev.repartee.mcp.Content;
import dev.repartee.mcp.Elicitation;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.Revision;
import dev.repartee.mcp.Tool;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A call has one time-out, which stands still only while a user is asked. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeadlineTest {
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1_000); // it may overflow
  private final CallClock clock = new CallClock(now::get);

  @Test
  void theTimeStandsStillWhileAnyHandlerAnswersAQuestion() {
    Deadline deadline = Deadline.in(Duration.ofNanos(5_000), clock);
    now.addAndGet(1_000);
    clock.whileAsking(() -> {
      now.addAndGet(2_000);
      clock.whileAsking(() -> now.addAndGet(2_000));
      assertThat(deadline.nanosLeft()).isEqualTo(4_000);
      assertThat(clock.running()).isNotDone();
      return now.addAndGet(2_000);
    });
    assertThat(clock.running()).isDone();
    assertThat(deadline.nanosLeft()).isEqualTo(4_000);
    now.addAndGet(4_000);
    assertThat(deadline.nanosLeft()).isZero();
  }

  @Test
  void progressMovesTheEndUpToTheLongestTime() {
    Deadline deadline = Deadline.in(Duration.ofNanos(100), Duration.ofNanos(150), clock);
    now.addAndGet(40);
    assertThat(deadline.isLongest()).isFalse();
    deadline.progressed();
    assertThat(deadline.nanosLeft()).isEqualTo(100);
    now.addAndGet(50);
    deadline.progressed();
    assertThat(deadline.nanosLeft()).isEqualTo(60);
    assertThat(deadline.isLongest()).isTrue();

    Deadline fixed = Deadline.in(Duration.ofNanos(100), clock);
    now.addAndGet(40);
    fixed.progressed();
    assertThat(fixed.nanosLeft()).isEqualTo(60);
    assertThat(fixed.isLongest()).isTrue();
  }

  @Test
  void aTimerThatElapsesWhileAUserIsAskedWaitsForTheRestOfTheTime() throws Exception {
    CallClock real = new CallClock();
    CountDownLatch passed = new CountDownLatch(1);
    Deadline deadline = real.whileAsking(() -> {
      Deadline inside = Deadline.in(Duration.ofMillis(5), real);
      inside.whenPassed(passed::countDown);
      for (long end = System.nanoTime() + 20_000_000; System.nanoTime() < end; ) {
        Thread.onSpinWait();
      }
      assertThat(passed.getCount()).isOne();
      return inside;
    });
    assertThat(passed.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(deadline.nanosLeft()).isNotPositive();
  }

  @Test
  void aCallThatIsAskedForInputAgainAndAgainEndsInTime() throws Exception {
    try (ScriptedServer server = ScriptedServer.stateless(request ->
            request.result("{\"resultType\":\"input_required\",\"requestState\":\"s\"}"));
        McpClient client = McpClient.connect(server.uri())) {
      assertThatThrownBy(
              () -> client.request("t").timeout(Duration.ofMillis(300)).call())
          .isInstanceOf(CallTimeoutException.class)
          .hasMessageContaining("no answer to 'tools/call' in time");
    }
  }

  @ParameterizedTest
  @CsvSource({"http, 2026-07-28", "tcp, 2025-11-25"})
  void theHandlerOfAQuestionStopsTheTimeOfTheCall(String transport, String revision)
      throws Exception {
    McpServer mcp = McpServer.builder("asking", "1")
        .tool(Tool.named("asks")
            .description("Asks")
            .handle((call, arguments) -> call.elicit(
                    "q",
                    Elicitation.form(
                        "Sure?",
                        Json.parse(
                            "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}")))
                .action()))
        .build();
    AtomicReference<McpClient> client = new AtomicReference<>();
    AtomicReference<Boolean> ran = new AtomicReference<>();
    try (Server server =
            mcp.listen(transport + "://127.0.0.1:0" + (transport.equals("tcp") ? "" : "/mcp"));
        McpClient asked = McpClient.builder("t", "1")
            .revisions(Revision.of(revision))
            .onElicitation(question -> {
              ran.set(client.get().inputs().clock().running().isDone());
              return new Elicitation.Answer("decline", null);
            })
            .connect(server.endpoint().toString())) {
      client.set(asked);
      assertThat(asked.call("asks", null).content()).containsExactly(Content.text("decline"));
      assertThat(ran).hasValue(false);
      assertThat(asked.inputs().clock().running()).isDone();
    }
  }
}
