package dev.repartee.resilience;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallFuture;
import dev.repartee.CallTimeoutException;
import dev.repartee.ClockOptions;
import dev.repartee.FrameResponder;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.RpcException;
import dev.repartee.Service;
import dev.repartee.limits.LimitException;
import dev.repartee.transport.ChannelInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests circuit breakers over TCP. */
@NullMarked
@Timeout(60)
class BreakerTest {
  private static final Breaker BREAKER = Breaker.DEFAULT
      .minimumCalls(4)
      .failureRate(50)
      .window(Duration.ofSeconds(10))
      .openFor(Duration.ofSeconds(5))
      .trialCalls(2);

  private final Later server = new Later();

  BreakerTest() throws Exception {}

  @AfterEach
  void close() {
    server.close();
  }

  private Resilience with(Breaker breaker) {
    return Resilience.builder().breaker(breaker).clock(server.clock).build();
  }

  /** Lets calls time out, and returns when all of them have ended. */
  private void fail(Peer peer, String method, int number) throws Exception {
    List<CallFuture<Integer>> calls = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      calls.add(peer.request(method).timeout(Duration.ofMillis(10)).send(Integer.class));
      server.next();
    }
    server.clock.advance(Duration.ofMillis(10));
    for (CallFuture<Integer> call : calls) {
      assertThatThrownBy(call::await).isInstanceOf(CallTimeoutException.class);
    }
  }

  private static void assertRejected(Peer peer, String method) {
    assertThatThrownBy(() -> peer.call(method, int.class))
        .isInstanceOfSatisfying(RejectedException.class, failure -> {
          assertThat(failure.outcome()).isEqualTo(Outcome.REJECTED_BY_BREAKER);
          assertThat(failure.unsent()).isEqualTo("the circuit breaker is open");
        })
        .hasMessageContaining("'" + method + "' was not sent: too many calls to 127.0.0.1");
  }

  @Test
  void itOpensWhenTooManyCallsHaveFailed() throws Exception {
    Resilience resilience = with(BREAKER);
    try (Peer peer = server.connect(resilience)) {
      peer.call("one", int.class);
      peer.call("one", int.class);
      fail(peer, "later", 1);
      peer.call("one", int.class);
      fail(peer, "later", 2);
      assertRejected(peer, "one");
      assertThat(server.served("one")).isEqualTo(3);
      assertThat(resilience.counts())
          .containsEntry(Outcome.BREAKER_OPENED, 1L)
          .containsEntry(Outcome.REJECTED_BY_BREAKER, 1L);
    }
  }

  @Test
  void itClosesAfterSuccessfulTrialCalls() throws Exception {
    try (Peer peer = server.connect(with(BREAKER))) {
      fail(peer, "later", 4);
      server.clock.advance(Duration.ofMillis(4_999));
      assertRejected(peer, "one");
      server.clock.advance(Duration.ofMillis(1));
      CallFuture<Integer> first = peer.callAsync("later", Integer.class);
      CallFuture<Integer> second = peer.callAsync("later", Integer.class);
      assertRejected(peer, "one");
      server.next().answer().complete(1);
      server.next().answer().complete(1);
      first.get(60, TimeUnit.SECONDS);
      second.get(60, TimeUnit.SECONDS);
      assertThat(peer.call("one", int.class)).isEqualTo(1);
      fail(peer, "later", 2);
      assertThat(peer.call("one", int.class)).as("the count begins anew").isEqualTo(1);
    }
  }

  @Test
  void itOpensAgainAfterAFailedTrialCall() throws Exception {
    Resilience resilience = with(BREAKER);
    try (Peer peer = server.connect(resilience)) {
      fail(peer, "later", 4);
      server.clock.advance(Duration.ofSeconds(5));
      fail(peer, "later", 1);
      assertRejected(peer, "one");
      assertThat(resilience.counts()).containsEntry(Outcome.BREAKER_OPENED, 2L);
    }
  }

  @Test
  void aCancelledTrialCallMakesRoomForAnother() throws Exception {
    try (Peer peer = server.connect(with(BREAKER.trialCalls(1)))) {
      fail(peer, "later", 4);
      server.clock.advance(Duration.ofSeconds(5));
      CallFuture<Integer> trial = peer.callAsync("later", Integer.class);
      assertRejected(peer, "one");
      trial.cancel(true);
      assertThat(peer.call("one", int.class)).isEqualTo(1);
    }
  }

  @Test
  void aTrialCallThatDoesNotEndIsFollowedByAnother() throws Exception {
    try (Peer peer = server.connect(with(BREAKER.trialCalls(1)))) {
      fail(peer, "later", 4);
      server.clock.advance(Duration.ofSeconds(5));
      CallFuture<Integer> trial = peer.request("later").timeout(Duration.ZERO).send(Integer.class);
      server.next();
      assertRejected(peer, "one");
      server.clock.advance(Duration.ofSeconds(5));
      assertThat(peer.call("one", int.class)).isEqualTo(1);
      assertThat(trial).isNotDone();
    }
  }

  @Test
  void shortDeadlinesOfCallersDoNotOpenTheBreakerOfAGateway() throws Exception {
    List<CallFuture<Integer>> calls = new ArrayList<>();
    try (Peer peer = server.connect(with(BREAKER))) {
      Service gateway = Service.builder()
          .method("pass", call -> {
            calls.add(peer.callAsync("later", Integer.class));
            return true;
          })
          .build();
      Options options = ClockOptions.builder(server.clock)
          .limits(limits -> limits.handlerTimeout(Duration.ofMillis(10)))
          .build();
      FrameResponder responder =
          FrameResponder.of(gateway, options, new ChannelInfo("test", "", "message"));
      for (int i = 0; i < 4; i++) {
        responder.respond("""
            {"jsonrpc":"2.0","method":"pass","id":1}""".getBytes(UTF_8));
        server.next();
      }
      server.clock.advance(Duration.ofMillis(10));
      for (CallFuture<Integer> call : calls) {
        assertThatThrownBy(call::await).isInstanceOf(CallTimeoutException.class);
      }
      assertThat(peer.call("one", int.class)).isEqualTo(1);
      fail(peer, "later", 4);
      assertRejected(peer, "one");
    }
  }

  @Test
  void failuresOutsideOfTheWindowDoNotCount() throws Exception {
    try (Peer peer = server.connect(with(BREAKER))) {
      fail(peer, "later", 3);
      server.clock.advance(Duration.ofSeconds(10));
      fail(peer, "later", 3);
      assertThat(peer.call("one", int.class)).isEqualTo(1);
    }
  }

  @Test
  void anAnswerWithAnErrorIsNoFailureUnlessItIsDeclared() throws Exception {
    Breaker declared =
        BREAKER.failure(failure -> failure instanceof RpcException error && error.code() == -32601);
    try (Peer peer = server.connect(with(BREAKER));
        Peer strict = server.connect(with(declared))) {
      for (int i = 0; i < 4; i++) {
        assertThatThrownBy(() -> peer.call("unknown", int.class)).isInstanceOf(RpcException.class);
        assertThatThrownBy(() -> strict.call("unknown", int.class))
            .isInstanceOf(RpcException.class);
      }
      assertThat(peer.call("one", int.class)).isEqualTo(1);
      assertRejected(strict, "one");
    }
  }

  @Test
  void aCallThatIsTooLargeToBeSentSaysNothingAboutTheServer() throws Exception {
    Options options = ClockOptions.builder(server.clock)
        .limits(limits -> limits.frameBytes(1_000))
        .build();
    String large = "x".repeat(2_000);
    try (Peer peer = server.connect(with(BREAKER).instrument(options))) {
      for (int i = 0; i < 4; i++) {
        assertThatThrownBy(() -> peer.call("one", int.class, large))
            .isInstanceOf(LimitException.class);
      }
      assertThat(peer.call("one", int.class)).isEqualTo(1);
    }
  }

  @Test
  void eachPeerAndIfWantedEachMethodHasItsOwn() throws Exception {
    Resilience shared = with(BREAKER.perMethod());
    try (Peer peer = server.connect(shared);
        Peer other = server.connect(shared)) {
      fail(peer, "later", 4);
      assertRejected(peer, "later");
      assertThat(peer.call("one", int.class)).isEqualTo(1);
      CallFuture<Integer> call = other.callAsync("later", Integer.class);
      server.next().answer().complete(3);
      assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo(3);
    }
  }

  @Test
  void valuesOutOfRangeAreRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> BREAKER.failureRate(0));
    assertThatIllegalArgumentException().isThrownBy(() -> BREAKER.minimumCalls(0));
    assertThatIllegalArgumentException().isThrownBy(() -> BREAKER.trialCalls(0));
    assertThatIllegalArgumentException().isThrownBy(() -> BREAKER.window(Duration.ZERO));
    assertThatIllegalArgumentException().isThrownBy(() -> BREAKER.openFor(Duration.ofDays(-1)));
  }
}
