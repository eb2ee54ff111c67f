package dev.repartee.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.transport.ReadingThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ClockTest {
  private final FakeClock fake = new FakeClock();
  private final List<String> ran = new ArrayList<>();

  @Test
  void theClockOfTheSystemRunsAStepUnlessItsTimerIsCancelled() throws Exception {
    CountDownLatch first = new CountDownLatch(1);
    Clock.Timer timer =
        Clock.SYSTEM.schedule(Duration.ofMillis(1), Runnable::run, first::countDown);
    CountDownLatch second = new CountDownLatch(1);
    assertThat(first.await(60, TimeUnit.SECONDS)).isTrue();
    timer.cancel();
    timer = Clock.SYSTEM.schedule(Duration.ofDays(1), Runnable::run, first::countDown);
    timer.cancel();
    Clock.SYSTEM.schedule(Duration.ofMillis(1), Runnable::run, second::countDown);
    assertThat(second.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  @Timeout(20)
  void aWaitEndsAtItsTime() throws Exception {
    long end = Clock.SYSTEM.nanos() + 1;
    synchronized (this) {
      do {
        Clock.SYSTEM.await(this, end);
      } while (Clock.SYSTEM.nanos() < end);
    }
  }

  @Test
  void waitingForAnAnswerIsRefusedOnTheThreadOfTheClock() throws Exception {
    CompletableFuture<Boolean> refused = new CompletableFuture<>();
    Clock.SYSTEM.schedule(
        Duration.ZERO, Runnable::run, () -> refused.complete(ReadingThread.isCurrent()));
    assertThat(refused.get(60, TimeUnit.SECONDS)).isTrue();
    assertThat(ReadingThread.isCurrent()).isFalse();
  }

  @Test
  void aStepThatFailsRunsOnceAndDelaysNoOther() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch failed = new CountDownLatch(1);
    Clock.SYSTEM.schedule(Duration.ZERO, Runnable::run, () -> {
      runs.incrementAndGet();
      failed.countDown();
      throw new IllegalStateException("by design");
    });
    CountDownLatch later = new CountDownLatch(1);
    Clock.SYSTEM.schedule(Duration.ofMillis(20), Runnable::run, later::countDown);
    assertThat(later.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(failed.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(runs).hasValue(1);
  }

  @Test
  void anOwnerThatAlwaysFailsDelaysNoOther() throws Exception {
    List<Clock.Owner> faulty =
        Stream.<Clock.Owner>generate(Faulty::new).limit(20).toList();
    faulty.forEach(each -> Clock.SYSTEM.watch(each, 0));
    for (int i = 0; i < 20; i++) {
      CountDownLatch later = new CountDownLatch(1);
      Clock.SYSTEM.schedule(Duration.ofMillis(1), Runnable::run, later::countDown);
      assertThat(later.await(60, TimeUnit.SECONDS)).isTrue();
    }
    faulty.forEach(Clock.SYSTEM::forget);
  }

  private static final class Faulty implements Clock.Owner {
    @Override
    public long due() {
      return 0;
    }

    @Override
    public long expire(long now) {
      throw new IllegalStateException("by design");
    }
  }

  /** A clock that uses the executors. */
  private static final class Executing extends FakeClock {
    @Override
    void start(Executor executor, Runnable step) {
      executor.execute(step);
    }
  }

  @Test
  void aStepForWhichNoThreadStartsIsStartedAgain() {
    FakeClock clock = new Executing();
    AtomicInteger attempts = new AtomicInteger();
    Executor exhausted = step -> {
      if (attempts.incrementAndGet() < 3) {
        throw new OutOfMemoryError("by design");
      }
      step.run();
    };
    clock.schedule(Duration.ofMillis(5), exhausted, () -> ran.add("late"));
    clock.advance(Duration.ofMillis(2_004));
    assertThat(ran).isEmpty();
    clock.advance(Duration.ofMillis(1));
    assertThat(ran).containsExactly("late");
    assertThat(clock.timers()).isZero();
    assertThat(attempts).hasValue(3);
  }

  @Test
  void aStepThatFailedWithAnErrorOrWasRejectedIsNotStartedAgain() {
    FakeClock clock = new Executing();
    clock.schedule(Duration.ofMillis(5), Runnable::run, () -> {
      ran.add("failed");
      throw new OutOfMemoryError("by design");
    });
    Executor closed = step -> {
      ran.add("rejected");
      throw new RejectedExecutionException("by design");
    };
    clock.schedule(Duration.ofMillis(6), closed, () -> ran.add("not run"));
    clock.advance(Duration.ofSeconds(10));
    assertThat(ran).containsExactly("failed", "rejected");
    assertThat(clock.timers()).isZero();
  }

  @Test
  void aStepThatIsCancelledInTheQueueOfItsExecutorDoesNotRun() {
    FakeClock clock = new Executing();
    List<Runnable> queue = new ArrayList<>();
    Clock.Timer timer = clock.schedule(Duration.ofMillis(5), queue::add, () -> ran.add("step"));
    clock.advance(Duration.ofMillis(5));
    timer.cancel();
    queue.get(0).run();
    assertThat(queue).hasSize(1);
    assertThat(ran).isEmpty();
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
