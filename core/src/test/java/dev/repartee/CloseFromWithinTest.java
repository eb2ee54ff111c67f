package dev.repartee;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.internal.FakeClock;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Handlers and callbacks of a connection may close it without waiting for themselves. */
@Timeout(60)
class CloseFromWithinTest {
  private static final Options PATIENT = Options.builder()
      .limits(limits -> limits.closeTimeout(Duration.ofDays(1)))
      .build();

  private final CompletableFuture<Server> server = new CompletableFuture<>();
  private final FakeClock clock = new FakeClock();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final CountDownLatch cancelled = new CountDownLatch(1);
  private final CountDownLatch waiting = new CountDownLatch(1);

  private final Service service = Service.builder()
      .method("closeServer", call -> {
        server.join().close();
        return "bye";
      })
      .method("closePeer", call -> {
        call.peer().close();
        return "bye";
      })
      .method("closeSoon", call -> {
        server.join().close(Duration.ofMinutes(5));
        closing.countDown();
        return null;
      })
      .method("wait", call -> {
        call.cancellation().onCancel(cancelled::countDown);
        waiting.countDown();
        return new CompletableFuture<String>();
      })
      .build();

  private Server listen(String uri) throws IOException {
    server.complete(
        Repartee.listen(uri, service, PATIENT.toBuilder().clock(clock).build()));
    return server.join();
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp://127.0.0.1:0", "mem:within"})
  void aHandlerThatClosesItsServerIsAnswered(String uri) throws Exception {
    Server at = listen(uri);
    try (Peer peer = Repartee.connect(at.endpoint())) {
      assertThat(peer.callAsync("closeServer", String.class).get(Recorder.SECONDS, SECONDS))
          .isEqualTo("bye");
      at.join();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp://127.0.0.1:0", "mem:within"})
  void aHandlerThatClosesItsConnectionIsAnswered(String uri) throws Exception {
    try (Server at = listen(uri);
        Peer peer = Repartee.connect(at.endpoint())) {
      assertThat(peer.callAsync("closePeer", String.class).get(Recorder.SECONDS, SECONDS))
          .isEqualTo("bye");
      peer.closed().toCompletableFuture().get(Recorder.SECONDS, SECONDS);
    }
  }

  @Test
  void aHandlerMayCloseItsConnectionAnyNumberOfTimes() throws Exception {
    int times = 50_000;
    CountDownLatch closed = new CountDownLatch(1);
    CompletableFuture<String> last = new CompletableFuture<>();
    CompletableFuture<@Nullable Throwable> end = new CompletableFuture<>();
    Service closing = Service.builder()
        .method("close", call -> {
          for (int i = 0; i < times; i++) {
            call.peer().close();
          }
          closed.countDown();
          return null;
        })
        .method("last", call -> last)
        .build();
    Listener listener = new Listener() {
      @Override
      public void disconnected(Peer peer, @Nullable Throwable cause) {
        end.complete(cause);
      }
    };
    try (Server at = Repartee.listen(
            "tcp://127.0.0.1:0", closing, PATIENT.toBuilder().listener(listener).build());
        Peer peer = Repartee.connect(at.endpoint())) {
      CallFuture<String> answer = peer.callAsync("last", String.class);
      peer.notify("close");
      assertThat(closed.await(Recorder.SECONDS, SECONDS)).isTrue();
      last.complete("bye");
      assertThat(answer.get(Recorder.SECONDS, SECONDS)).isEqualTo("bye");
      assertThat(end.get(Recorder.SECONDS, SECONDS)).as("cause of the end").isNull();
    }
  }

  @Test
  void theLimitHoldsForAServerThatAHandlerCloses() throws Exception {
    Server at = listen("tcp://127.0.0.1:0");
    try (Peer other = Repartee.connect(at.endpoint());
        Peer peer = Repartee.connect(at.endpoint())) {
      other.callAsync("wait", String.class);
      assertThat(waiting.await(Recorder.SECONDS, SECONDS)).isTrue();
      peer.notify("closeSoon");
      assertThat(closing.await(Recorder.SECONDS, SECONDS)).isTrue();
      clock.advance(Duration.ofMinutes(5).minusNanos(1));
      assertThat(cancelled.getCount()).isOne();
      clock.advance(Duration.ofNanos(1));
      assertThat(cancelled.await(Recorder.SECONDS, SECONDS)).isTrue();
      at.join();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "exec:cat"})
  void aListenerMayCloseAConnectionThatItIsNotifiedOf(String uri) throws Exception {
    try (Server at = listen("tcp://127.0.0.1:0")) {
      Listener closing = new Listener() {
        @Override
        public void connected(Peer peer) {
          peer.close();
        }

        @Override
        public void disconnected(Peer peer, @Nullable Throwable cause) {
          peer.close();
        }
      };
      String to = uri.equals("tcp") ? at.endpoint().toString() : uri;
      Peer peer = Repartee.connect(to, PATIENT.toBuilder().listener(closing).build());
      peer.closed().toCompletableFuture().get(Recorder.SECONDS, SECONDS);
    }
  }
}
