package dev.repartee.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ThreadsTest {
  @Test
  void aThreadThatCannotBeStartedIsStartedLater() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    Executor exhausted = task -> {
      if (attempts.incrementAndGet() < 3) {
        throw new OutOfMemoryError("unable to create native thread");
      }
      Threads.start("test", task);
    };
    CountDownLatch ran = new CountDownLatch(1);
    Threads.start(exhausted, ran::countDown);
    assertThat(ran.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(attempts).hasValue(3);
  }
}
