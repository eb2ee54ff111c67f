package dev.repartee.mcp.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the pending notifications of one client. */
@Timeout(60)
class NoticesTest {
  private static final int MANY = 1_000;

  private final Notices notices = new Notices();
  private final List<Integer> told = new CopyOnWriteArrayList<>();
  private final List<Thread> tellers = new CopyOnWriteArrayList<>();
  private final CountDownLatch left = new CountDownLatch(MANY);

  /** Offers a notification. Meanwhile adds another one, as another thread could. */
  private boolean tell(int number) {
    told.add(number);
    tellers.add(Thread.currentThread());
    if (number + 1 < MANY) {
      notices.add(number + 1, () -> tell(number + 1));
    }
    left.countDown();
    return true;
  }

  @Test
  void aThreadThatChangesSomethingDoesNotGoOnSendingTheChangesOfOthers() throws Exception {
    notices.add(0, () -> tell(0));
    left.await();
    assertThat(tellers.stream().filter(Thread.currentThread()::equals).count()).isBetween(1L, 100L);
    assertThat(told).isEqualTo(IntStream.range(0, MANY).boxed().toList());
  }
}
