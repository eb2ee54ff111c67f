package dev.repartee.resilience;

import static dev.repartee.resilience.ScriptedHttp.LOST;
import static dev.repartee.resilience.ScriptedHttp.answer;
import static dev.repartee.resilience.ScriptedHttp.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallFuture;
import dev.repartee.ClockOptions;
import dev.repartee.HttpException;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.RemoteRpcException;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Service;
import dev.repartee.balance.BalanceListener;
import dev.repartee.balance.Balanced;
import dev.repartee.internal.FakeClock;
import dev.repartee.message.RpcError;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the repetition of calls over HTTP, where each attempt has its own connection. */
@NullMarked
@Timeout(60)
class RetryTest {
  private static final String OK = answer("\"result\":7");
  private static final String UNSENT = "Repartee-Unsent: 1";

  private final FakeClock clock = new FakeClock();

  private Resilience build(Resilience.Builder builder) {
    return builder.clock(clock).build();
  }

  private Resilience retrying() {
    return build(Resilience.builder().retry(Retry.DEFAULT).idempotent("price"));
  }

  private Peer connect(String uri, Resilience resilience) throws Exception {
    Options options = resilience.instrument(ClockOptions.builder(clock).build());
    return Repartee.connect(uri, Service.NONE, options);
  }

  private static Throwable failure(CallFuture<?> call) throws Exception {
    try {
      throw new AssertionError("the call has a result: " + call.get(60, TimeUnit.SECONDS));
    } catch (ExecutionException e) {
      return e.getCause();
    } catch (TimeoutException e) {
      throw new AssertionError("the call has not ended", e);
    }
  }

  private static int get(CallFuture<Integer> call) throws Exception {
    return call.get(60, TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @ValueSource(ints = {408, 429, 503})
  void aRefusedCallIsRepeatedAlthoughItIsNotIdempotent(int status) throws Exception {
    Resilience resilience = retrying();
    try (ScriptedHttp server = new ScriptedHttp(status(status, UNSENT), OK);
        Peer peer = connect(server.uri(), resilience)) {
      CallFuture<Integer> call = peer.callAsync("order", Integer.class);
      assertThat(clock.awaitTimer()).isBetween(Duration.ofMillis(50), Duration.ofMillis(100));
      clock.advanceToTimer();
      assertThat(get(call)).isEqualTo(7);
      assertThat(server.requests).hasSize(2);
      assertThat(resilience.counts()).containsEntry(Outcome.RETRIED, 1L);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {408, 503})
  void aCallThatMayHaveBeenHandledIsRepeatedIfItIsIdempotent(int status) throws Exception {
    try (ScriptedHttp server = new ScriptedHttp(LOST, status(status, ""), OK);
        Peer peer = connect(server.uri(), retrying())) {
      CallFuture<Integer> call = peer.callAsync("price", Integer.class);
      clock.advanceToTimer();
      assertThat(clock.awaitTimer()).isBetween(Duration.ofMillis(100), Duration.ofMillis(200));
      clock.advanceToTimer();
      assertThat(get(call)).isEqualTo(7);
      assertThat(server.requests).hasSize(3);
    }
  }

  @Test
  void theDeclarationOfASingleCallCounts() throws Exception {
    try (ScriptedHttp server = new ScriptedHttp(LOST, OK);
        Peer peer = connect(server.uri(), retrying())) {
      CallFuture<Integer> call = peer.request("order").idempotent().send(Integer.class);
      clock.advanceToTimer();
      assertThat(get(call)).isEqualTo(7);
    }
  }

  @Test
  void aCallThatMayHaveBeenHandledAndIsNotIdempotentFails() throws Exception {
    try (ScriptedHttp server = new ScriptedHttp(
            LOST, status(502, ""), status(503, "Retry-After: 1"), status(500, ""));
        Peer peer = connect(server.uri(), retrying())) {
      assertThat(failure(peer.callAsync("order", Integer.class)))
          .isInstanceOf(DisconnectedException.class);
      assertThat(failure(peer.callAsync("order", Integer.class))).isInstanceOf(HttpException.class);
      assertThat(failure(peer.callAsync("order", Integer.class)))
          .as("the answer of a proxy that has lost its server")
          .isInstanceOf(HttpException.class);
      assertThat(failure(peer.callAsync("price", Integer.class)))
          .as("a status that says nothing about another attempt")
          .isInstanceOf(HttpException.class);
      assertThat(server.requests).hasSize(4);
      assertThat(clock.timers()).isZero();
    }
  }

  @Test
  void theLastFailureIsTheFailureOfTheCall() throws Exception {
    Resilience resilience = retrying();
    try (ScriptedHttp server = new ScriptedHttp(LOST, LOST, status(503, ""));
        Peer peer = connect(server.uri(), resilience)) {
      CallFuture<Integer> call = peer.callAsync("price", Integer.class);
      clock.advanceToTimer();
      clock.advanceToTimer();
      assertThat(failure(call)).hasMessageContaining("503");
      assertThat(resilience.counts()).containsEntry(Outcome.RETRIED, 2L);
    }
  }

  @Test
  void anErrorIsRepeatedOnlyIfItIsDeclaredSafe() throws Exception {
    String busy = answer("\"error\":{\"code\":-32000,\"message\":\"busy\"}");
    String broken = answer("\"error\":{\"code\":7,\"message\":\"broken\"}");
    Resilience resilience = build(Resilience.builder()
        .retry(Retry.DEFAULT.safe(RpcError.BUSY).safe(error -> error.code() == 8))
        .idempotent("price"));
    try (ScriptedHttp server = new ScriptedHttp(busy, OK, broken);
        Peer peer = connect(server.uri(), resilience)) {
      CallFuture<Integer> call = peer.callAsync("order", Integer.class);
      clock.advanceToTimer();
      assertThat(get(call)).isEqualTo(7);
      assertThat(failure(peer.callAsync("price", Integer.class)))
          .isInstanceOf(RemoteRpcException.class);
    }
  }

  @Test
  void aPauseThatTheServerRequestsIsKept() throws Exception {
    String later =
        answer("\"error\":{\"code\":-32000,\"message\":\"busy\",\"data\":{\"retryAfter\":4}}");
    try (ScriptedHttp server =
            new ScriptedHttp(status(429, "Retry-After: 3"), later, answer("\"result\":7"));
        Peer peer = connect(server.uri(), retrying())) {
      CallFuture<Integer> call = peer.callAsync("order", Integer.class);
      assertThat(clock.awaitTimer()).isEqualTo(Duration.ofSeconds(3));
      clock.advanceToTimer();
      assertThat(clock.awaitTimer()).isEqualTo(Duration.ofSeconds(4));
      clock.advanceToTimer();
      assertThat(get(call)).isEqualTo(7);
    }
  }

  @Test
  void aRequestedPauseThatIsNoTimeIsNone() throws Exception {
    String never =
        answer("\"error\":{\"code\":-32000,\"message\":\"busy\",\"data\":{\"retryAfter\":1e999}}");
    try (ScriptedHttp server = new ScriptedHttp(never);
        Peer peer = connect(server.uri(), retrying())) {
      assertThat(failure(peer.callAsync("price", Integer.class)))
          .isInstanceOf(RemoteRpcException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"31", "1000000000", "99999999999999999999"})
  void aPauseBeyondTheLongestPauseEndsTheCall(String seconds) throws Exception {
    try (ScriptedHttp server =
            new ScriptedHttp(status(503, "Retry-After: " + seconds + "\r\nRepartee-Unsent: 1"));
        Peer peer = connect(server.uri(), retrying())) {
      assertThat(failure(peer.callAsync("price", Integer.class))).hasMessageContaining("503");
      assertThat(clock.timers()).isZero();
    }
  }

  @Test
  void aPauseBeyondTheDeadlineOfTheCallEndsIt() throws Exception {
    try (ScriptedHttp server = new ScriptedHttp(status(503, "Retry-After: 5"));
        Peer peer = connect(server.uri(), retrying())) {
      CallFuture<Integer> call =
          peer.request("price").timeout(Duration.ofSeconds(5)).send(Integer.class);
      assertThat(failure(call)).hasMessageContaining("503");
    }
  }

  /** Binds a socket without listening: its port refuses connections, and stays reserved. */
  private static Socket taken() throws IOException {
    Socket taken = new Socket();
    taken.bind(new InetSocketAddress("127.0.0.1", 0));
    return taken;
  }

  @Test
  void aCallWithoutAConnectionIsRepeated() throws Exception {
    Resilience resilience = retrying();
    Options options = resilience.instrument(ClockOptions.builder(clock).build());
    try (Socket taken = taken();
        Peer peer = Balanced.to(List.of("tcp://127.0.0.1:" + taken.getLocalPort()))
            .options(options)
            .waitingCalls(0)
            .listener(BalanceListener.NONE)
            .connectInBackground()) {
      CallFuture<Integer> call = peer.callAsync("order", Integer.class);
      clock.advanceToTimer();
      clock.advanceToTimer();
      assertThat(failure(call)).isInstanceOf(DisconnectedException.class);
      assertThat(resilience.counts()).containsEntry(Outcome.RETRIED, 2L);
    }
  }

  @Test
  void noCallIsRepeatedAfterTheEndOfItsPeer() throws Exception {
    try (ServerSocket server = new ServerSocket(0);
        Peer peer = connect("tcp://127.0.0.1:" + server.getLocalPort(), retrying())) {
      CallFuture<Integer> call = peer.callAsync("price", Integer.class);
      server.accept().close();
      assertThat(failure(call)).isInstanceOf(DisconnectedException.class);
      assertThat(clock.timers()).isZero();
    }
  }

  @Test
  void aPeerOfSeveralEndpointsRepeatsFirstAndTheLayerAfterIt() throws Exception {
    Resilience resilience = retrying();
    Options options = resilience.instrument(ClockOptions.builder(clock).build());
    CountDownLatch available = new CountDownLatch(2);
    BalanceListener listener = new BalanceListener() {
      @Override
      public void available(String endpoint) {
        available.countDown();
      }
    };
    try (ScriptedHttp one = new ScriptedHttp(status(503, UNSENT + "\r\nRetry-After: 3"), OK);
        ScriptedHttp two = new ScriptedHttp(status(503, UNSENT + "\r\nRetry-After: 3"), OK);
        Peer peer = Balanced.to(List.of(one.uri(), two.uri()))
            .options(options)
            .health(Duration.ZERO)
            .listener(listener)
            .connect()) {
      assertThat(available.await(60, TimeUnit.SECONDS)).isTrue();
      CallFuture<Integer> call = peer.callAsync("order", Integer.class);
      assertThat(clock.awaitTimer()).isEqualTo(Duration.ofSeconds(3));
      clock.advanceToTimer();
      assertThat(get(call)).isEqualTo(7);
      assertThat(resilience.counts()).containsEntry(Outcome.RETRIED, 1L);
      assertThat(one.requests.size() + two.requests.size()).isGreaterThanOrEqualTo(2);
    }
  }

  @Test
  void theBudgetOfAPeerLimitsItsRepetitions() throws Exception {
    Resilience resilience = build(Resilience.builder()
        .retry(Retry.DEFAULT.attempts(2))
        .idempotent("price")
        .budget(50, 1));
    try (ScriptedHttp server = new ScriptedHttp(LOST, OK, LOST, OK, OK, LOST, OK);
        Peer peer = connect(server.uri(), resilience)) {
      CallFuture<Integer> first = peer.callAsync("price", Integer.class);
      clock.advanceToTimer();
      assertThat(get(first)).isEqualTo(7);
      assertThat(failure(peer.callAsync("price", Integer.class)))
          .as("half a token is left")
          .isInstanceOf(DisconnectedException.class);
      assertThat(get(peer.callAsync("price", Integer.class))).isEqualTo(7);
      assertThat(get(peer.callAsync("price", Integer.class))).isEqualTo(7);
      CallFuture<Integer> last = peer.callAsync("price", Integer.class);
      clock.advanceToTimer();
      assertThat(get(last)).isEqualTo(7);
      assertThat(resilience.counts())
          .containsEntry(Outcome.OVER_BUDGET, 1L)
          .containsEntry(Outcome.RETRIED, 2L);
    }
  }

  @Test
  void aBudgetWithoutABurstAllowsItsPartOfTheCalls() throws Exception {
    Resilience resilience =
        build(Resilience.builder().retry(Retry.DEFAULT).idempotent("price").budget(50, 0));
    try (ScriptedHttp server = new ScriptedHttp(LOST, LOST, OK);
        Peer peer = connect(server.uri(), resilience)) {
      assertThat(failure(peer.callAsync("price", Integer.class)))
          .isInstanceOf(DisconnectedException.class);
      CallFuture<Integer> second = peer.callAsync("price", Integer.class);
      clock.advanceToTimer();
      assertThat(get(second)).isEqualTo(7);
    }
  }

  @Test
  void aCallThatIsCancelledInAPauseIsNotRepeated() throws Exception {
    try (ScriptedHttp server = new ScriptedHttp(LOST);
        Peer peer = connect(server.uri(), retrying())) {
      CallFuture<Integer> call = peer.callAsync("price", Integer.class);
      clock.awaitTimer();
      call.cancel(true);
      clock.advance(Duration.ofSeconds(10));
      assertThatThrownBy(call::await).isInstanceOf(CancellationException.class);
      assertThat(server.requests).hasSize(1);
    }
  }

  @Test
  void aPredicateThatThrowsFailsTheCall() throws Exception {
    Resilience resilience = build(Resilience.builder().retry(Retry.DEFAULT.safe(error -> {
      throw new IllegalStateException("no answer");
    })));
    try (ScriptedHttp server =
            new ScriptedHttp(answer("\"error\":{\"code\":7,\"message\":\"broken\"}"));
        Peer peer = connect(server.uri(), resilience)) {
      assertThat(failure(peer.callAsync("price", Integer.class))).hasMessage("no answer");
    }
  }

  @Test
  void valuesOutOfRangeAreRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> Retry.DEFAULT.attempts(0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Retry.DEFAULT.longestPause(Duration.ofSeconds(-1)));
    assertThatIllegalArgumentException().isThrownBy(() -> Resilience.builder().budget(101, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> Resilience.builder().budget(1, -1));
  }

  @Test
  void aCallKeepsNoneOfItsFailedAttempts() throws Exception {
    List<WeakReference<Object>> attempts = new CopyOnWriteArrayList<>();
    try (Later server = new Later()) {
      Resilience resilience = Resilience.builder()
          .retry(Retry.DEFAULT.attempts(4).safe(7))
          .clock(server.clock)
          .build();
      Options options = resilience.instrument(ClockOptions.builder(server.clock).build());
      Options watched = options.toBuilder()
          .callLayer((call, next) -> {
            Object attempt = next.handle(call);
            attempts.add(new WeakReference<>(Objects.requireNonNull(attempt)));
            return attempt;
          })
          .build();
      try (Peer peer = server.connect(watched)) {
        CallFuture<Integer> call = peer.callAsync("later", Integer.class);
        for (int i = 0; i < 3; i++) {
          server.next().answer().completeExceptionally(new RpcException(7, "not now"));
          server.clock.advanceToTimer();
        }
        Later.Waiting last = server.next();
        long kept = 4;
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (kept > 1 && System.nanoTime() < end) { // the reader may still end the last attempt
          System.gc();
          kept = attempts.stream().filter(attempt -> attempt.get() != null).count();
        }
        assertThat(kept).isEqualTo(1);
        last.answer().complete(7);
        assertThat(get(call)).isEqualTo(7);
      }
    }
  }
}
