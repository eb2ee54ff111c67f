package dev.repartee.dap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EventOrderTest {
  private final List<String> sent = new CopyOnWriteArrayList<>();
  private final CountDownLatch leaving = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);

  /** Sends the held events slowly: the first of them waits for the test. */
  private Options slow(EventOrder order) {
    return Options.builder()
        .callLayer(order)
        .callLayer((call, next) -> {
          if (call.method().equals("initialized")) {
            leaving.countDown();
            released.await();
          }
          sent.add(call.method());
          return next.handle(call);
        })
        .build();
  }

  @Test
  void anEventIsSentWhenTheCallReturnsThoughAnotherThreadSendsHeldEvents() throws Exception {
    EventOrder order = new EventOrder(TimeUnit.HOURS.toNanos(1));
    ExecutorService threads = Executors.newCachedThreadPool();
    try (Server client = Repartee.listen("mem:event-order", Service.NONE);
        Peer adapter = Repartee.connect(client.endpoint(), slow(order))) {
      adapter.notify("initialized");
      assertThat(sent).isEmpty();
      CompletableFuture<Void> answered = CompletableFuture.runAsync(order::initialized, threads);
      leaving.await();

      CompletableFuture<Void> output =
          CompletableFuture.runAsync(() -> adapter.notify("output"), threads);
      try {
        output.get(200, TimeUnit.MILLISECONDS); // too early, unless the event is sent
      } catch (TimeoutException e) {
        released.countDown();
      }
      output.get(60, TimeUnit.SECONDS);

      assertThat(sent).containsExactly("initialized", "output");
      answered.get(60, TimeUnit.SECONDS);
    } finally {
      released.countDown();
      threads.shutdown();
    }
  }

  @Test
  void anEventWaitsForAMomentOnlyIfTheClientDoesNotRead() throws Exception {
    EventOrder order = new EventOrder(TimeUnit.MILLISECONDS.toNanos(1));
    ExecutorService threads = Executors.newCachedThreadPool();
    try (Server client = Repartee.listen("mem:event-moment", Service.NONE);
        Peer adapter = Repartee.connect(client.endpoint(), slow(order))) {
      adapter.notify("initialized");
      CompletableFuture<Void> answered = CompletableFuture.runAsync(order::initialized, threads);
      leaving.await();

      CompletableFuture.runAsync(() -> adapter.notify("output"), threads).get(60, TimeUnit.SECONDS);
      assertThat(sent).as("the client does not read").isEmpty();

      released.countDown();
      answered.get(60, TimeUnit.SECONDS);
      assertThat(sent).containsExactly("initialized", "output");
    } finally {
      released.countDown();
      threads.shutdown();
    }
  }
}
