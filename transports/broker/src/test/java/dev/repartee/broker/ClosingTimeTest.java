package dev.repartee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.internal.FakeClock;
import dev.repartee.limits.ClockLimits;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ClosingTimeTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration TICK = Duration.ofNanos(1);

  private final FakeClock clock = new FakeClock();
  private final ClosingTime time =
      new ClosingTime(ClockLimits.builder(clock).build(), SECOND.multipliedBy(2));
  private final CompletableFuture<String> stage = new CompletableFuture<>();
  private final AtomicInteger cuts = new AtomicInteger();

  @Test
  void aWorkerThatDoesNotEndIsCutOneSecondAfterTheLimitOfItsMessages() {
    clock.advance(SECOND);
    assertThat(time.left()).isEqualTo(SECOND);
    time.cut(stage, cuts::incrementAndGet);
    clock.advance(SECOND);
    assertThat(time.left()).isZero();
    clock.advance(SECOND.minus(TICK));
    assertThat(cuts).hasValue(0);
    clock.advance(TICK);
    assertThat(cuts).hasValue(1);
  }

  @Test
  void aWorkerThatHasEndedIsCutWithoutAPause() {
    time.cut(stage, cuts::incrementAndGet);
    stage.complete("");
    assertThat(cuts).hasValue(1);
    assertThat(clock.timers()).isZero();
  }

  @Test
  void aStageThatFailsIsOverToo() {
    CompletionStage<?> over = time.atMost(SECOND, stage);
    assertThat(over.toCompletableFuture()).isNotDone();
    stage.completeExceptionally(new IllegalStateException("by design"));
    assertThat(over.toCompletableFuture()).isCompleted();
    assertThat(clock.timers()).isZero();
  }
}
