package dev.repartee.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Batch;
import dev.repartee.CallFuture;
import dev.repartee.Peer;
import dev.repartee.RpcException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests second attempts over TCP. */
@NullMarked
@Timeout(60)
class HedgeTest {
  private final Later server = new Later();

  HedgeTest() throws Exception {}

  @AfterEach
  void close() {
    server.close();
  }

  private Resilience hedged(Hedge hedge) {
    return Resilience.builder()
        .hedge(hedge)
        .idempotent("later")
        .clock(server.clock)
        .build();
  }

  private static CountDownLatch cancelled(Later.Waiting call) {
    CountDownLatch cancelled = new CountDownLatch(1);
    call.call().cancellation().onCancel(cancelled::countDown);
    return cancelled;
  }

  @Test
  void theFirstAnswerWinsAndTheOtherAttemptIsCancelled() throws Exception {
    Resilience resilience = hedged(Hedge.after(Duration.ofMillis(50)));
    try (Peer peer = server.connect(resilience)) {
      CallFuture<Integer> call = peer.callAsync("later", Integer.class);
      CountDownLatch cancelled = cancelled(server.next());
      assertThat(server.clock.awaitTimer()).isEqualTo(Duration.ofMillis(50));
      server.clock.advanceToTimer();
      server.next().answer().complete(2);
      assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo(2);
      assertThat(cancelled.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(resilience.counts())
          .containsEntry(Outcome.HEDGED, 1L)
          .containsEntry(Outcome.HEDGE_WON, 1L);
    }
  }

  @Test
  void theSecondAttemptIsCancelledIfTheFirstAnswers() throws Exception {
    Resilience resilience = hedged(Hedge.after(Duration.ofMillis(50)));
    try (Peer peer = server.connect(resilience)) {
      CallFuture<Integer> call = peer.callAsync("later", Integer.class);
      Later.Waiting first = server.next();
      server.clock.advanceToTimer();
      CountDownLatch cancelled = cancelled(server.next());
      first.answer().completeExceptionally(new RpcException(7, "sold out"));
      assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS)).hasMessageContaining("sold out");
      assertThat(cancelled.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(resilience.counts()).containsEntry(Outcome.HEDGE_WON, 0L);
    }
  }

  @Test
  void aCallThatIsAnsweredInTimeHasOneAttempt() throws Exception {
    Resilience resilience = hedged(Hedge.after(Duration.ofMillis(50)));
    try (Peer peer = server.connect(resilience)) {
      CallFuture<Integer> call = peer.callAsync("later", Integer.class);
      server.clock.awaitTimer();
      server.next().answer().complete(1);
      assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo(1);
      server.clock.awaitNoTimer(); // the call ends before its timer is cancelled
    }
  }

  @Test
  void aCallThatIsNotIdempotentHasOneAttempt() throws Exception {
    Resilience resilience = hedged(Hedge.after(Duration.ofMillis(50)).methods("later"));
    try (Peer peer = server.connect(resilience)) {
      CallFuture<Integer> slow = peer.callAsync("slow", Integer.class);
      server.next().answer().complete(1);
      assertThat(slow.get(60, TimeUnit.SECONDS)).isEqualTo(1);
      assertThat(server.clock.timers()).isZero();
    }
  }

  @Test
  void aCallOfABatchHasOneAttempt() throws Exception {
    Resilience resilience = hedged(Hedge.after(Duration.ofMillis(50)));
    try (Peer peer = server.connect(resilience)) {
      Batch batch = peer.batch();
      CallFuture<Integer> call = batch.callAsync("later", Integer.class);
      server.clock.advance(Duration.ofMillis(50)); // the batch waits for its other calls
      batch.send();
      server.clock.advance(Duration.ofMillis(50));
      server.next().answer().complete(1);
      assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo(1);
      assertThat(resilience.counts()).containsEntry(Outcome.HEDGED, 0L);
    }
  }

  @Test
  void cancellingTheCallCancelsBothAttempts() throws Exception {
    Resilience resilience = hedged(Hedge.after(Duration.ofMillis(50)));
    try (Peer peer = server.connect(resilience)) {
      CallFuture<Integer> call = peer.callAsync("later", Integer.class);
      CountDownLatch first = cancelled(server.next());
      server.clock.advanceToTimer();
      CountDownLatch second = cancelled(server.next());
      call.cancel(true);
      assertThat(first.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(second.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void bothAttemptsHaveTheDeadlineOfTheCall() throws Exception {
    Resilience resilience = hedged(Hedge.after(Duration.ofMillis(50)));
    try (Peer peer = server.connect(resilience)) {
      CallFuture<Integer> call =
          peer.request("later").timeout(Duration.ofSeconds(1)).send(Integer.class);
      server.next();
      server.clock.advanceToTimer();
      server.next();
      server.clock.advance(Duration.ofMillis(950));
      assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS))
          .hasMessageContaining("no answer to 'later' within 1 s");
    }
  }

  @Test
  void secondAttemptsAreLimitedByTheBudget() throws Exception {
    Resilience resilience = Resilience.builder()
        .hedge(Hedge.after(Duration.ofMillis(50)))
        .idempotent("later")
        .budget(0, 0)
        .clock(server.clock)
        .build();
    try (Peer peer = server.connect(resilience)) {
      CallFuture<Integer> call = peer.callAsync("later", Integer.class);
      Later.Waiting first = server.next();
      server.clock.advanceToTimer();
      assertThat(resilience.counts()).containsEntry(Outcome.OVER_BUDGET, 1L);
      first.answer().complete(1);
      assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo(1);
    }
  }

  @Test
  void aPercentileFollowsTheLatestCalls() throws Exception {
    Resilience resilience = hedged(Hedge.atPercentile(95, Duration.ofMillis(1)));
    try (Peer peer = server.connect(resilience)) {
      for (int i = 1; i <= 16; i++) {
        CallFuture<Integer> call = peer.callAsync("later", Integer.class);
        Later.Waiting next = server.next();
        assertThat(server.clock.timers()).isZero();
        server.clock.advance(Duration.ofMillis(i));
        next.answer().complete(i);
        call.get(60, TimeUnit.SECONDS);
      }
      CallFuture<Integer> call = peer.callAsync("later", Integer.class);
      assertThat(server.clock.awaitTimer()).isEqualTo(Duration.ofMillis(16));
      server.clock.advanceToTimer();
      server.next();
      server.next().answer().complete(2);
      assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo(2);
    }
  }

  @Test
  void aCallThatIsCancelledByItsCallerSaysNothingAboutTheTime() throws Exception {
    Resilience resilience = hedged(Hedge.atPercentile(95, Duration.ofMillis(1)));
    try (Peer peer = server.connect(resilience)) {
      for (int i = 1; i <= 16; i++) {
        peer.callAsync("later", Integer.class).cancel(true);
      }
      CallFuture<Integer> call = peer.callAsync("later", Integer.class);
      assertThat(server.clock.timers()).isZero();
      call.cancel(true);
    }
  }

  @Test
  void valuesOutOfRangeAreRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> Hedge.after(Duration.ofMillis(-1)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Hedge.atPercentile(100, Duration.ofMillis(1)));
  }
}
