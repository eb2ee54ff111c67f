package dev.repartee.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SweeperTest {
  /** An owner that is due immediately, once. */
  private static final class Due implements Clock.Owner {
    final CompletableFuture<Thread> expired = new CompletableFuture<>();

    @Override
    public long due() {
      return expired.isDone() ? Clock.NEVER : 0;
    }

    @Override
    public long expire(long now) {
      expired.complete(Thread.currentThread());
      return Clock.NEVER;
    }

    Thread sweptBy(Sweeper sweeper) throws Exception {
      sweeper.watch(this, 0);
      return expired.get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void aRetiredThreadEndsAndAnotherStarts() throws Exception {
    Sweeper sweeper = new Sweeper();
    Thread first = new Due().sweptBy(sweeper);
    assertThat(new Due().sweptBy(sweeper)).isSameAs(first);
    sweeper.retire();
    first.join();
    Thread second = new Due().sweptBy(sweeper);
    assertThat(second).isNotSameAs(first);
    second.join();
  }

  @Test
  void noOwnerIsLostWhileAThreadEnds() throws Exception {
    Sweeper sweeper = new Sweeper();
    sweeper.retire();
    for (int i = 0; i < 10_000; i++) {
      new Due().sweptBy(sweeper);
    }
  }

  /** An owner that is due in a year. */
  private static final class Patient implements Clock.Owner {
    private static final long DUE = Clock.SYSTEM.nanos() + TimeUnit.DAYS.toNanos(365);

    private final CountDownLatch look = new CountDownLatch(1);

    @Override
    public long due() {
      look.countDown();
      return DUE;
    }

    @Override
    public long expire(long now) {
      return Clock.NEVER;
    }
  }

  @Test
  void aSweeperThatSleepsKeepsNoForgottenOwnerInMemory() throws Exception {
    Sweeper sweeper = new Sweeper();
    Thread thread = new Due().sweptBy(sweeper);
    WeakReference<?> owner = forgotten(sweeper, thread);
    while (owner.get() != null) {
      assertThat(Thread.interrupted()).isFalse(); // by the time-out of the test
      System.gc();
    }
    sweeper.retire();
  }

  private static WeakReference<?> forgotten(Sweeper sweeper, Thread thread) throws Exception {
    Patient owner = new Patient();
    sweeper.watch(owner, Patient.DUE);
    assertThat(owner.look.await(60, TimeUnit.SECONDS)).isTrue();
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    sweeper.forget(owner);
    return new WeakReference<>(owner);
  }
}
