package dev.repartee.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallFuture;
import dev.repartee.Peer;
import dev.repartee.transport.ReadingThread;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the limit of calls that run, over TCP. */
@NullMarked
@Timeout(60)
class BulkheadTest {
  private final Later server = new Later();

  BulkheadTest() throws Exception {}

  @AfterEach
  void close() {
    server.close();
  }

  private Resilience with(Bulkhead bulkhead) {
    return Resilience.builder().bulkhead(bulkhead).clock(server.clock).build();
  }

  private static int get(CallFuture<Integer> call) throws Exception {
    return call.get(60, TimeUnit.SECONDS);
  }

  private static void assertRejected(CallFuture<?> call, String message) {
    assertThatThrownBy(call::await)
        .isInstanceOfSatisfying(
            RejectedException.class,
            failure -> assertThat(failure.outcome()).isEqualTo(Outcome.REJECTED_BY_BULKHEAD))
        .hasMessageContaining(message);
  }

  @Test
  void aCallAboveTheLimitIsRejected() throws Exception {
    Resilience resilience = with(Bulkhead.of(1));
    try (Peer peer = server.connect(resilience)) {
      CallFuture<Integer> first = peer.callAsync("later", Integer.class);
      assertRejected(
          peer.callAsync("one", Integer.class), "'one' was not sent: 1 calls to 127.0.0.1");
      server.next().answer().complete(5);
      assertThat(get(first)).isEqualTo(5);
      assertThat(peer.call("one", int.class)).isEqualTo(1);
      assertThat(server.served("one")).isEqualTo(1);
      assertThat(resilience.counts()).containsEntry(Outcome.REJECTED_BY_BULKHEAD, 1L);
    }
  }

  @Test
  void aWaitingCallIsSentAtTheEndOfAnotherAndNotByTheThreadThatReads() throws Exception {
    CompletableFuture<Boolean> reading = new CompletableFuture<>();
    Resilience resilience = with(Bulkhead.of(1).waiting(2, Duration.ofSeconds(1)));
    try (Peer peer = server.connect(resilience)) {
      CallFuture<Integer> first = peer.callAsync("later", Integer.class);
      CallFuture<Integer> second = peer.request("later")
          .onId(id -> reading.complete(ReadingThread.class.isInstance(Thread.currentThread())))
          .send(Integer.class);
      CallFuture<Integer> third = peer.callAsync("two", Integer.class);
      assertRejected(peer.callAsync("one", Integer.class), "rejected immediately");
      Later.Waiting one = server.next();
      assertThat(server.waiting).isEmpty();
      one.answer().complete(1);
      server.next().answer().complete(4);
      assertThat(get(first)).isEqualTo(1);
      assertThat(get(second)).isEqualTo(4);
      assertThat(get(third)).isEqualTo(2);
      assertThat(reading.get(60, TimeUnit.SECONDS)).isFalse();
      assertThat(server.clock.timers()).isZero();
    }
  }

  @Test
  void theWaitOfACallIsLimited() throws Exception {
    try (Peer peer = server.connect(with(Bulkhead.of(1).waiting(2, Duration.ofSeconds(5))))) {
      CallFuture<Integer> first = peer.callAsync("later", Integer.class);
      CallFuture<Integer> second = peer.callAsync("one", Integer.class);
      CallFuture<Integer> third =
          peer.request("one").timeout(Duration.ofSeconds(2)).send(Integer.class);
      server.clock.advance(Duration.ofSeconds(2));
      assertRejected(third, "rejected after 2 s");
      assertThat(second).isNotDone();
      server.clock.advance(Duration.ofSeconds(3));
      assertRejected(second, "rejected after 5 s");
      server.next().answer().complete(1);
      assertThat(get(first)).isEqualTo(1);
      assertThat(server.served("one")).isZero();
    }
  }

  @Test
  void aCancelledCallWaitsNoLonger() throws Exception {
    try (Peer peer = server.connect(with(Bulkhead.of(1).waiting(1, Duration.ofSeconds(5))))) {
      CallFuture<Integer> first = peer.callAsync("later", Integer.class);
      CallFuture<Integer> second = peer.callAsync("one", Integer.class);
      second.cancel(true);
      assertThat(server.clock.timers()).isZero();
      CallFuture<Integer> third = peer.callAsync("two", Integer.class);
      server.next().answer().complete(1);
      assertThat(get(first)).isEqualTo(1);
      assertThat(get(third)).isEqualTo(2);
      assertThat(server.served("one")).isZero();
    }
  }

  @Test
  void aCancelledCallThatRunsMakesRoom() throws Exception {
    try (Peer peer = server.connect(with(Bulkhead.of(1)))) {
      CallFuture<Integer> first = peer.callAsync("later", Integer.class);
      server.next();
      first.cancel(true);
      assertThat(peer.call("one", int.class)).isEqualTo(1);
    }
  }

  @Test
  void valuesOutOfRangeAreRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> Bulkhead.of(0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Bulkhead.of(1).waiting(-1, Duration.ZERO));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Bulkhead.of(1).waiting(1, Duration.ofDays(-1)));
  }
}
