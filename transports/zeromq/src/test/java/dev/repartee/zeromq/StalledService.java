package dev.repartee.zeromq;

import dev.repartee.Call;
import dev.repartee.Lane;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.transport.ChannelInfo;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A service with a listener that blocks the thread of the sockets. It blocks at the first violation,
 * until {@value #CALLS} calls of {@code text} have ended. These calls wait for the violation.
 */
public final class StalledService implements Listener {
  static final int CALLS = 160;

  private final CountDownLatch stalled = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(CALLS);
  private final AtomicInteger running = new AtomicInteger();

  /** Serves until the process is killed. */
  public static void main(String[] args) throws Exception {
    StalledService service = new StalledService();
    Options options = Options.builder().listener(service).build();
    try (Server server = Repartee.listen(args[0], Service.of(service), options)) {
      System.err.println("listening on " + server.endpoint());
      server.join();
    }
  }

  /** Returns a text of the given length. */
  @Rpc(lane = Lane.CONCURRENT)
  public String text(int length) throws InterruptedException {
    running.incrementAndGet();
    stalled.await();
    ended.countDown();
    return "x".repeat(length);
  }

  /**
   * Reports a progress that exceeds the memory budget. Runs on the thread of the sockets, and first
   * waits until the replies of {@code text} have used up the budget.
   */
  @Rpc(lane = Lane.INLINE)
  public String progress(Call call) throws InterruptedException {
    stalled.countDown();
    ended.await();
    MemoryBudget budget = MemoryBudget.ofAnswers();
    while (budget.held() < budget.max() - 600_000) {
      Thread.onSpinWait();
    }
    budget.share(0).holdAnyway(budget.max());
    call.progress("x".repeat(200_000));
    return "done";
  }

  /** Returns the number of calls of {@code text} that have begun. */
  @Rpc(lane = Lane.INLINE)
  public int running() {
    return running.get();
  }

  @Override
  public void violation(ChannelInfo channel, String violation) {
    stalled.countDown();
    try {
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
