package dev.repartee.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.transport.ReadingThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ClockTest {
  private final FakeClock fake = new FakeClock();
  private final List<String> ran = new ArrayList<>();

  @Test
  void theClockOfTheSystemRunsAStepUnlessItsTimerIsCancelled() throws Exception {
    CountDownLatch first = new CountDownLatch(1);
    Clock.Timer timer =
        Clock.SYSTEM.schedule(Duration.ofMillis(1), Runnable::run, first::countDown);
    CountDownLatch second = new CountDownLatch(1);
    assertThat(first.await(20, TimeUnit.SECONDS)).isTrue();
    timer.cancel();
    timer = Clock.SYSTEM.schedule(Duration.ofDays(1), Runnable::run, first::countDown);
    timer.cancel();
    Clock.SYSTEM.schedule(Duration.ofMillis(1), Runnable::run, second::countDown);
    assertThat(second.await(20, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void waitingForAnAnswerIsRefusedOnTheThreadOfTheClock() throws Exception {
    CompletableFuture<Boolean> refused = new CompletableFuture<>();
    Clock.SYSTEM.schedule(
        Duration.ZERO, Runnable::run, () -> refused.complete(ReadingThread.isCurrent()));
    assertThat(refused.get(20, TimeUnit.SECONDS)).isTrue();
    assertThat(ReadingThread.isCurrent()).isFalse();
  }

  @Test
  void aStepThatFailsRunsOnceAndDelaysNoOther() throws Exception {
    CountDownLatch steps = new CountDownLatch(2);
    Clock.SYSTEM.schedule(Duration.ZERO, Runnable::run, () -> {
      steps.countDown();
      throw new IllegalStateException("by design");
    });
    CountDownLatch later = new CountDownLatch(1);
    Clock.SYSTEM.schedule(Duration.ofMillis(20), Runnable::run, later::countDown);
    assertThat(later.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(steps.getCount()).isOne();
  }

  @Test
  void zeroAndACenturyAreNoTimeLimit() {
    assertThat(fake.after(Duration.ZERO)).isEqualTo(Clock.NEVER);
    assertThat(fake.after(Duration.ofDays(36_500))).isEqualTo(Clock.NEVER);
    assertThat(fake.after(Duration.ofNanos(7))).isEqualTo(7);
  }

  @Test
  void aFakeClockRunsStepsInTheOrderOfTheirTimes() {
    step(20, "b");
    step(10, "a");
    step(20, "c");
    step(30, "d").cancel();
    step(41, "e");
    fake.advance(Duration.ofMillis(9));
    assertThat(ran).isEmpty();
    fake.advance(Duration.ofMillis(31));
    assertThat(ran).containsExactly("a at 10", "b at 20", "c at 20");
    assertThat(fake.timers()).isOne();
    assertThat(fake.awaitTimer()).isEqualTo(Duration.ofMillis(1));
  }

  @Test
  void aStepMayScheduleAnotherThatRunsInTheSameAdvance() {
    fake.schedule(Duration.ofMillis(5), Runnable::run, () -> step(5, "nested"));
    fake.advance(Duration.ofMillis(10));
    assertThat(ran).containsExactly("nested at 10");
  }

  private Clock.Timer step(int millis, String name) {
    return fake.schedule(
        Duration.ofMillis(millis),
        Runnable::run,
        () -> ran.add(name + " at " + TimeUnit.NANOSECONDS.toMillis(fake.nanos())));
  }
}
