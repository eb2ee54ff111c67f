package dev.repartee.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.CallFuture;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class CloseFromWithinTest {
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);
  private static final Options PATIENT =
      Options.builder().limits(limits -> limits.closeTimeout(LONGEST)).build();

  @ParameterizedTest
  @ValueSource(strings = {"http", "ws"})
  void aHandlerThatClosesItsServerIsAnswered(String scheme) throws Exception {
    CompletableFuture<Server> server = new CompletableFuture<>();
    Service service = Service.builder()
        .method("shutdown", call -> {
          server.join().close();
          return "bye";
        })
        .build();
    server.complete(Repartee.listen(scheme + "://127.0.0.1:0/", service, PATIENT));
    try (Peer peer = Repartee.connect(server.join().endpoint().toString())) {
      assertThat(peer.callAsync("shutdown", String.class).get(60, SECONDS)).isEqualTo("bye");
    }
    server.join().join();
  }

  @Test
  void theLongestTimeToCloseIsWaitedFor() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CompletableFuture<String> result = new CompletableFuture<>();
    Service service = Service.builder()
        .method("wait", call -> {
          running.countDown();
          return result;
        })
        .build();
    Server server = Repartee.listen("http://127.0.0.1:0/", service, PATIENT);
    try (Peer peer = Repartee.connect(server.endpoint())) {
      CallFuture<String> call = peer.callAsync("wait", String.class);
      assertThat(running.await(60, SECONDS)).isTrue();
      Thread closing = new Thread(server::close);
      closing.start();
      while (closing.getState() != Thread.State.TIMED_WAITING) {
        assertThat(closing.isAlive())
            .as("the server waits for the call that runs")
            .isTrue();
        Thread.onSpinWait();
      }
      result.complete("done");
      assertThat(call.get(60, SECONDS)).isEqualTo("done");
      closing.join();
    }
  }
}
