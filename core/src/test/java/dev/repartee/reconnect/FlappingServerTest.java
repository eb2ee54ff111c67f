package dev.repartee.reconnect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.RemoteRpcException;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.internal.Clock;
import dev.repartee.internal.HeldPort;
import dev.repartee.transport.DisconnectedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many threads call while the server goes away and returns. */
@Timeout(120)
class FlappingServerTest {
  private static final int THREADS = 200;
  private static final int CALLS = 50;
  private static final int LEAST_RESTARTS = 3;

  private final Map<String, AtomicInteger> handled = new ConcurrentHashMap<>();
  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
  private final Semaphore progress = new Semaphore(0);
  private final AtomicInteger answered = new AtomicInteger();
  private final AtomicInteger restarts = new AtomicInteger();

  private final Service service = Service.builder()
      .method("read", String[].class, String.class, (params, call) -> count(params[0]))
      .method("buy", String[].class, String.class, (params, call) -> count(params[0]))
      .build();

  private String count(String token) {
    handled.computeIfAbsent(token, key -> new AtomicInteger()).incrementAndGet();
    return token;
  }

  private void call(Peer peer, String method, String token) {
    AtomicInteger ends = new AtomicInteger();
    CompletableFuture<String> future = peer.callAsync(method, String.class, token);
    future.whenComplete((result, failure) -> {
      if (ends.incrementAndGet() != 1) {
        wrong.add(token + " has ended more than once");
      }
    });
    try {
      if (!future.get(60, TimeUnit.SECONDS).equals(token)) {
        wrong.add(token + " got the answer to another call");
      }
      answered.incrementAndGet();
    } catch (Exception e) {
      Throwable cause = e.getCause();
      boolean refused = cause instanceof RemoteRpcException busy && busy.code() == -32000;
      boolean lost = cause instanceof DisconnectedException
          && method.equals("buy")
          && cause.getMessage().endsWith("so it was not sent again");
      if (!refused && !lost) {
        wrong.add(token + ": " + e);
      }
    }
    progress.release();
  }

  @Test
  void everyCallEndsOnceAndOnlyIdempotentOnesAreHandledTwice() throws Exception {
    HeldPort port = new HeldPort();
    String uri = "tcp://127.0.0.1:" + port.number();
    Server server = Repartee.listen(uri, service);
    try (port;
        Peer peer = Reconnecting.to(uri)
            .clock(Clock.SYSTEM, () -> 0) // 1 ms between attempts
            .listener(ReconnectListener.NONE)
            .idempotent("read")
            .connect()) {
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        String prefix = "thread " + t + ", call ";
        threads.add(new Thread(() -> {
          for (int i = 0; i < CALLS || restarts.get() < LEAST_RESTARTS; i++) {
            call(peer, i % 2 == 0 ? "read" : "buy", prefix + i);
          }
        }));
      }
      threads.forEach(Thread::start);
      while (threads.stream().anyMatch(Thread::isAlive) && restarts.get() < THREADS * CALLS) {
        progress.tryAcquire(THREADS, 1, TimeUnit.SECONDS);
        server.close(Duration.ZERO);
        server = Repartee.listen(uri, service);
        restarts.incrementAndGet();
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(wrong).isEmpty();
      assertThat(restarts).hasValueGreaterThanOrEqualTo(LEAST_RESTARTS);
      assertThat(answered).hasPositiveValue();
      assertThat(handled.entrySet().stream()
              .filter(entry -> Integer.parseInt(entry.getKey().split(" ")[3]) % 2 == 1)
              .filter(entry -> entry.getValue().get() > 1))
          .as("calls that are not idempotent and were handled twice")
          .isEmpty();
      assertThat(peer.request("read").args("last").idempotent().call(String.class))
          .isEqualTo("last");
    } finally {
      server.close();
    }
  }
}
