package dev.repartee.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Batch;
import dev.repartee.CallFuture;
import dev.repartee.CallTimeoutException;
import dev.repartee.ClockOptions;
import dev.repartee.Layer;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.RpcException;
import dev.repartee.balance.Balanced;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests several policies together, and the fallback. */
@NullMarked
@Timeout(60)
class ResilienceTest {
  private final Later server = new Later();

  ResilienceTest() throws Exception {}

  @AfterEach
  void close() {
    server.close();
  }

  private static Resilience.Fallback constant(Object value) {
    return (call, failure) -> value;
  }

  @Test
  void theFallbackAnswersACallThatHasFailed() throws Exception {
    ConcurrentLinkedQueue<String> events = new ConcurrentLinkedQueue<>();
    Resilience resilience = Resilience.builder()
        .fallback((call, failure) -> {
          if (failure instanceof RpcException error && error.code() == -32601) {
            return CompletableFuture.completedFuture(9);
          }
          throw (Exception) failure;
        })
        .listener((outcome, call) -> events.add(outcome + " " + call.method()))
        .build();
    try (Peer peer = server.connect(resilience)) {
      assertThat(peer.call("unknown", int.class)).isEqualTo(9);
      assertThat(peer.call("one", int.class)).isEqualTo(1);
      CallFuture<Integer> call = peer.callAsync("later", Integer.class);
      server.next().answer().completeExceptionally(new RpcException(7, "sold out"));
      assertThatThrownBy(call::await).hasMessageContaining("sold out");
      assertThat(events).containsExactly("fallback unknown");
    }
  }

  @Test
  void theFallbackIsOutsideOfTheOtherPolicies() throws Exception {
    Resilience resilience = Resilience.builder()
        .fallback((call, failure) -> failure instanceof RejectedException ? -1 : -2)
        .retry(Retry.DEFAULT)
        .breaker(Breaker.DEFAULT.minimumCalls(1).failureRate(100))
        .bulkhead(Bulkhead.of(1))
        .clock(server.clock)
        .build();
    try (Peer peer = server.connect(resilience)) {
      CallFuture<Integer> first =
          peer.request("later").timeout(Duration.ofSeconds(1)).send(Integer.class);
      assertThat(peer.call("one", int.class)).as("the bulkhead is full").isEqualTo(-1);
      server.clock.advance(Duration.ofSeconds(1));
      assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo(-2);
      assertThat(peer.call("one", int.class)).as("the breaker is open").isEqualTo(-1);
      assertThat(resilience.counts())
          .containsEntry(Outcome.REJECTED_BY_BULKHEAD, 1L)
          .containsEntry(Outcome.REJECTED_BY_BREAKER, 1L)
          .containsEntry(Outcome.BREAKER_OPENED, 1L)
          .containsEntry(Outcome.FALLBACK, 3L)
          .containsEntry(Outcome.RETRIED, 0L);
    }
  }

  @Test
  void theAttemptsOfAHedgeAreLimitedByTheBulkhead() throws Exception {
    Resilience resilience = Resilience.builder()
        .idempotent("later")
        .hedge(Hedge.after(Duration.ofMillis(50)))
        .bulkhead(Bulkhead.of(1))
        .clock(server.clock)
        .build();
    try (Peer peer = server.connect(resilience)) {
      CallFuture<Integer> call = peer.callAsync("later", Integer.class);
      Later.Waiting first = server.next();
      server.clock.advanceToTimer();
      assertThat(resilience.counts()).containsEntry(Outcome.REJECTED_BY_BULKHEAD, 1L);
      assertThat(call).isNotDone();
      first.answer().complete(3);
      assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo(3);
    }
  }

  @Test
  void notificationsAndPingsPassUnchanged() throws Exception {
    Resilience resilience = Resilience.builder()
        .fallback(constant(0))
        .breaker(Breaker.DEFAULT.minimumCalls(1))
        .bulkhead(Bulkhead.of(1))
        .clock(server.clock)
        .build();
    try (Peer peer = server.connect(resilience)) {
      CallFuture<Integer> call = peer.callAsync("later", Integer.class);
      server.next();
      assertThat(peer.call("rpc.ping", String.class)).isEqualTo("pong");
      peer.notify("later");
      assertThat(server.next().call().isNotification()).isTrue();
      assertThat(peer.call("rpc.ping", String.class)).isEqualTo("pong");
      assertThat(call).isNotDone();
    }
  }

  @Test
  void aFallbackDoesNotAnswerThePingsOfAnEndpoint() {
    Resilience resilience = Resilience.builder().fallback(constant(0)).build();
    Balanced endpoints = Balanced.to(List.of(server.uri()))
        .options(resilience.instrument(Options.DEFAULT))
        .pingMethod("later")
        .health(Duration.ofMillis(50));
    assertThatThrownBy(() -> endpoints.connect().close())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("'later'"); // was not answered, or not even sent, in that time
  }

  @Test
  void theCallsOfABatchAreSentTogetherIfTheyNeedNotWait() throws Exception {
    Resilience resilience = Resilience.builder()
        .retry(Retry.DEFAULT)
        .hedge(Hedge.after(Duration.ofMillis(50)))
        .breaker(Breaker.DEFAULT)
        .bulkhead(Bulkhead.of(2).waiting(1, Duration.ofMinutes(1)))
        .build();
    try (Peer peer = server.connect(resilience)) {
      Batch batch = peer.batch();
      CallFuture<Integer> one = batch.callAsync("one", Integer.class);
      CallFuture<Integer> two = batch.callAsync("two", Integer.class);
      CallFuture<Integer> waits = batch.callAsync("one", Integer.class);
      batch.send();
      assertThat(one.await()).isEqualTo(1);
      assertThat(two.await()).isEqualTo(2);
      assertThat(waits.await()).as("sent on its own").isEqualTo(1);
    }
  }

  @Test
  void otherLayersMayBeBetweenTwoPolicies() throws Exception {
    ConcurrentLinkedQueue<String> attempts = new ConcurrentLinkedQueue<>();
    Layer noting = (call, next) ->
        Layer.whenDone(call, next, (result, failure) -> attempts.add(String.valueOf(result)));
    Resilience inner = Resilience.builder()
        .bulkhead(Bulkhead.of(2).waiting(1, Duration.ofMinutes(1)))
        .clock(server.clock)
        .build();
    Resilience outer = Resilience.builder()
        .idempotent("later")
        .hedge(Hedge.after(Duration.ofMillis(50)))
        .clock(server.clock)
        .build();
    Options options = ClockOptions.builder(server.clock)
        .callLayer(outer)
        .callLayer(noting)
        .callLayer(inner)
        .build();
    try (Peer peer = server.connect(options)) {
      CallFuture<Integer> call = peer.callAsync("later", Integer.class);
      server.next();
      server.clock.advanceToTimer();
      server.next().answer().complete(6);
      assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo(6);
      assertThat(attempts).contains("6");
      CallFuture<Integer> one = peer.callAsync("slow", Integer.class);
      CallFuture<Integer> two = peer.callAsync("slow", Integer.class);
      Later.Waiting first = server.next();
      Later.Waiting second = server.next(); // in the place of the cancelled attempt
      first.answer().complete(1);
      second.answer().complete(1);
      assertThat(one.get(60, TimeUnit.SECONDS) + two.get(20, TimeUnit.SECONDS)).isEqualTo(2);
    }
  }

  @Test
  void theFailureNamesTheCall() throws Exception {
    Resilience resilience =
        Resilience.builder().retry(Retry.DEFAULT).clock(server.clock).build();
    try (Peer peer = server.connect(resilience)) {
      CallFuture<Integer> call =
          peer.request("later").timeout(Duration.ofSeconds(1)).send(Integer.class);
      server.next();
      server.clock.advance(Duration.ofSeconds(1));
      assertThatThrownBy(call::await)
          .isInstanceOf(CallTimeoutException.class)
          .hasMessageContaining("no answer to 'later' within 1 s");
    }
  }

  @Test
  void aListenerThatThrowsDisturbsNoCall() throws Exception {
    Resilience resilience = Resilience.builder()
        .fallback(constant(List.of()))
        .listener((outcome, call) -> {
          throw new IllegalStateException("full");
        })
        .build();
    try (Peer peer = server.connect(resilience)) {
      assertThat(peer.call("unknown", Object.class)).isEqualTo(List.of());
    }
  }
}
