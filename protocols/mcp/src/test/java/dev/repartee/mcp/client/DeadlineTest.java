package dev.repartee.mcp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallTimeoutException;
import dev.repartee.Server;
import dev.repartee.internal.FakeClock;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.Tool;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.Revision;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that a call has one time-out, which is paused only while a user is asked. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeadlineTest {
  private final FakeClock system = new FakeClock();
  private final Set<CallClock> running = ConcurrentHashMap.newKeySet();
  private final CallClock clock = new CallClock(running, system, Duration.ofNanos(7_000));

  private long pass(long nanos) {
    system.advance(Duration.ofNanos(nanos));
    return system.nanos();
  }

  @Test
  void theTimeStandsStillWhileAnyHandlerAnswersAQuestion() {
    Deadline deadline = Deadline.in(Duration.ofNanos(5_000), clock);
    pass(1_000);
    CallClock.whileAsking(Set.of(clock), () -> {
      pass(2_000);
      CallClock.whileAsking(Set.of(clock), () -> pass(2_000));
      assertThat(deadline.nanosLeft()).isEqualTo(4_000);
      assertThat(clock.running()).isNotDone();
      return pass(2_000);
    });
    assertThat(clock.running()).isDone();
    assertThat(deadline.nanosLeft()).isEqualTo(4_000);
    pass(4_000);
    assertThat(deadline.nanosLeft()).isZero();
  }

  @Test
  void questionsStopTheTimeOfACallForALimitedTimeInAll() {
    Deadline deadline = Deadline.in(Duration.ofNanos(5_000), clock);
    CallClock.whileAsking(Set.of(clock), () -> pass(4_000));
    CallClock.whileAsking(Set.of(clock), () -> {
      pass(3_000);
      assertThat(deadline.nanosLeft()).isEqualTo(5_000);
      pass(1_000);
      assertThat(clock.running()).isDone();
      assertThat(deadline.nanosLeft()).isEqualTo(4_000);
      return pass(1_000);
    });
    assertThat(deadline.nanosLeft()).isEqualTo(3_000);
    CallClock.whileAsking(Set.of(clock), () -> pass(3_000));
    assertThat(deadline.nanosLeft()).isZero();
  }

  @Test
  void aQuestionThatNamesNoCallStopsTheTimeOfTheRunningCallsOnly() {
    CallClock later = new CallClock(running, system, Duration.ofNanos(7_000));
    Deadline first = Deadline.in(Duration.ofHours(1), clock);
    Deadline second = Deadline.in(Duration.ofHours(1), later);
    Deadline.Timer timer = first.whenPassed(() -> {});
    CallClock.whileAsking(running, () -> {
      second.whenPassed(() -> {}).stop();
      assertThat(running).containsExactly(clock);
      return pass(1_000);
    });
    assertThat(first.nanosLeft()).isEqualTo(Duration.ofHours(1).toNanos());
    assertThat(second.nanosLeft()).isEqualTo(Duration.ofHours(1).toNanos() - 1_000);
    timer.stop();
    timer.stop();
    assertThat(running).isEmpty();
  }

  @Test
  void progressMovesTheEndUpToTheLongestTime() {
    Deadline deadline = Deadline.in(Duration.ofNanos(100), Duration.ofNanos(150), clock);
    pass(40);
    assertThat(deadline.isLongest()).isFalse();
    deadline.progressed();
    assertThat(deadline.nanosLeft()).isEqualTo(100);
    pass(50);
    deadline.progressed();
    assertThat(deadline.nanosLeft()).isEqualTo(60);
    assertThat(deadline.isLongest()).isTrue();

    Deadline fixed = Deadline.in(Duration.ofNanos(100), clock);
    pass(40);
    fixed.progressed();
    assertThat(fixed.nanosLeft()).isEqualTo(60);
    assertThat(fixed.isLongest()).isTrue();
  }

  @Test
  void aTimerThatElapsesWhileAUserIsAskedWaitsForTheRestOfTheTime() {
    CallClock call = new CallClock(system);
    CountDownLatch passed = new CountDownLatch(1);
    Deadline deadline = CallClock.whileAsking(Set.of(call), () -> {
      Deadline inside = Deadline.in(Duration.ofMillis(5), call);
      inside.whenPassed(passed::countDown);
      system.advance(Duration.ofMillis(20));
      assertThat(passed.getCount()).isOne();
      return inside;
    });
    system.advance(Duration.ofMillis(4));
    assertThat(passed.getCount()).isOne();
    system.advance(Duration.ofMillis(1));
    assertThat(passed.getCount()).isZero();
    assertThat(deadline.nanosLeft()).isZero();
    assertThat(system.timers()).isZero();
  }

  @Test
  void aTimerElapsesDuringAQuestionWithoutAnAnswer() {
    CallClock call = new CallClock(running, system, Duration.ofMillis(5));
    CallClock.whileAsking(Set.of(call), () -> {
      CountDownLatch passed = new CountDownLatch(1);
      Deadline.in(Duration.ofMillis(1), call).whenPassed(passed::countDown);
      system.advance(Duration.ofMillis(5));
      assertThat(passed.getCount()).isOne();
      system.advance(Duration.ofMillis(1));
      assertThat(passed.getCount()).isZero();
      return 0;
    });
    assertThat(running).isEmpty();
  }

  @Test
  void aCallThatIsAskedForInputAgainAndAgainEndsInTime() throws Exception {
    try (ScriptedServer server = ScriptedServer.stateless(request ->
            request.result("{\"resultType\":\"input_required\",\"requestState\":\"s\"}"));
        McpClient client = McpClient.connect(server.uri())) {
      assertThatThrownBy(
              () -> client.request("t").timeout(Duration.ofMillis(300)).call())
          .isInstanceOf(CallTimeoutException.class)
          .hasMessageContaining("no answer to 'tools/call' within 300 ms");
    }
  }

  /** A server with a tool that asks, and one that never answers. */
  private static McpServer server() {
    return McpServer.builder("asking", "1")
        .tool(Tool.named("asks")
            .description("Asks")
            .handle((call, arguments) ->
                call.elicit("q", Elicitation.form("Sure?", Json.parse("""
                    {"type":"object","properties":{"a":{"type":"string"}}}"""))).action()))
        .tool(Tool.named("waits")
            .description("Waits")
            .handle((call, arguments) -> new CompletableFuture<>()))
        .build();
  }

  /** Returns whether a call of the tool that never answers ends while the question is open. */
  private static boolean ends(CompletableFuture<?> call) {
    try {
      call.get(60, TimeUnit.SECONDS);
      return false;
    } catch (ExecutionException e) {
      return e.getCause() instanceof CallTimeoutException;
    } catch (InterruptedException | TimeoutException e) {
      return false;
    }
  }

  @Test
  void aQuestionOfTheStatelessRevisionLeavesTheTimeOfOtherCallsAlone() throws Exception {
    AtomicReference<CompletableFuture<?>> other = new AtomicReference<>();
    AtomicReference<Boolean> ended = new AtomicReference<>();
    try (Server server = server().listen("http://127.0.0.1:0/mcp");
        McpClient client = McpClient.builder("t", "1")
            .revisions(Revision.of("2026-07-28"))
            .onElicitation(question -> {
              ended.set(ends(other.get()));
              return new Elicitation.Answer("decline", null);
            })
            .connect(server.endpoint().toString())) {
      other.set(client.request("waits").timeout(Duration.ofMillis(500)).send());
      assertThat(client.request("asks").timeout(Duration.ofSeconds(60)).call().content())
          .containsExactly(Content.text("decline"));
      assertThat(ended).hasValue(true);
    }
  }

  @Test
  void aQuestionOfAHandshakeLeavesTheTimeOfLaterCallsAlone() throws Exception {
    AtomicReference<McpClient> client = new AtomicReference<>();
    AtomicReference<Boolean> ended = new AtomicReference<>();
    try (Server server = server().listen("tcp://127.0.0.1:0");
        McpClient asked = McpClient.builder("t", "1")
            .revisions(Revision.of("2025-11-25"))
            .onElicitation(question -> {
              ended.set(ends(
                  client.get().request("waits").timeout(Duration.ofMillis(50)).send()));
              return new Elicitation.Answer("decline", null);
            })
            .connect(server.endpoint().toString())) {
      client.set(asked);
      assertThat(asked.request("asks").timeout(Duration.ofSeconds(60)).call().content())
          .containsExactly(Content.text("decline"));
      assertThat(ended).hasValue(true);
      server.close(Duration.ZERO); // a handler still runs
    }
  }

  @ParameterizedTest
  @CsvSource({"http, 2026-07-28", "tcp, 2025-11-25"})
  void theHandlerOfAQuestionStopsTheTimeOfTheCall(String transport, String revision)
      throws Exception {
    AtomicReference<McpClient> client = new AtomicReference<>();
    AtomicReference<List<Boolean>> ran = new AtomicReference<>();
    String path = transport.equals("tcp") ? "" : "/mcp";
    try (Server server = server().listen(transport + "://127.0.0.1:0" + path);
        McpClient asked = McpClient.builder("t", "1")
            .revisions(Revision.of(revision))
            .onElicitation(question -> {
              ran.set(client.get().inputs().running().stream()
                  .map(clock -> clock.running().isDone())
                  .toList());
              return new Elicitation.Answer("decline", null);
            })
            .connect(server.endpoint().toString())) {
      client.set(asked);
      assertThat(asked.call("asks", null).content()).containsExactly(Content.text("decline"));
      assertThat(ran.get()).containsExactly(false);
      while (!asked.inputs().running().isEmpty()) { // the timer may end after the answer
        Thread.onSpinWait();
      }
    }
  }
}
