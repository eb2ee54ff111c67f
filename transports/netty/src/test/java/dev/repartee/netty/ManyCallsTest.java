package dev.repartee.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Call;
import dev.repartee.CallFuture;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests many concurrent calls on one peer. */
class ManyCallsTest {
  private static final int CALLS = 50;
  private static final int PATIENCE_SECONDS = 30;

  /** Holds calls back until a number of them wait, then answers them in random order. */
  public static final class Shuffle {
    private final int waiting;
    private final Random random = new Random(7);
    private final List<Runnable> held = new ArrayList<>();
    private int came;

    Shuffle(int waiting) {
      this.waiting = waiting;
    }

    @Rpc
    public synchronized CompletableFuture<Integer> twice(int value) {
      CompletableFuture<Integer> answer = new CompletableFuture<>();
      held.add(() -> answer.complete(2 * value));
      came++;
      while (held.size() >= waiting || came >= CALLS && !held.isEmpty()) {
        held.remove(random.nextInt(held.size())).run();
      }
      return answer;
    }
  }

  /** The HTTP client has 8 connections; therefore at most 8 calls can wait at the same time. */
  @ParameterizedTest
  @CsvSource({"ws, 50", "http, 8"})
  void answersReachTheirCallersInWhateverOrderTheyCome(String scheme, int waiting)
      throws Exception {
    Service service = Service.of(new Shuffle(waiting));
    try (Server server = Repartee.listen("http://127.0.0.1:0/", service);
        Peer peer = connect(server, scheme, Service.NONE)) {
      List<CallFuture<Integer>> calls = new ArrayList<>();
      for (int i = 0; i < CALLS; i++) {
        calls.add(peer.callAsync("twice", int.class, i));
      }
      for (int i = 0; i < CALLS; i++) {
        assertThat(calls.get(i).get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo(2 * i);
      }
    }
  }

  /** Calls back only when all calls have arrived. */
  public static final class Questions {
    private final CyclicBarrier all = new CyclicBarrier(CALLS);

    @Rpc
    public int ask(int value, Call call) throws Exception {
      all.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
      return call.peer().call("answer", int.class, value) + 1;
    }
  }

  @Test
  void handlersCallBackOverTheSameWebSocketAndWait() throws Exception {
    Service answers = Service.of(new Object() {
      @Rpc
      public int answer(int value) {
        return 10 * value;
      }
    });
    try (Server server = Repartee.listen("http://127.0.0.1:0/", Service.of(new Questions()));
        Peer peer = connect(server, "ws", answers)) {
      List<CallFuture<Integer>> calls = new ArrayList<>();
      for (int i = 0; i < CALLS; i++) {
        calls.add(peer.callAsync("ask", int.class, i));
      }
      for (int i = 0; i < CALLS; i++) {
        assertThat(calls.get(i).get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo(10 * i + 1);
      }
    }
  }

  private static Peer connect(Server server, String scheme, Service service) throws Exception {
    String uri = server.endpoint().toString().replaceFirst("http", scheme);
    return Repartee.connect(uri, service, Options.DEFAULT);
  }
}
