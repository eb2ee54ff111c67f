package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.repartee.internal.FakeClock;
import dev.repartee.limits.LimitException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that all attempts of a layer have the deadline of their call. */
@NullMarked
@Timeout(60)
class LayerDeadlineTest {
  private final FakeClock clock = new FakeClock();
  private final CompletableFuture<Integer> never = new CompletableFuture<>();
  private final Server server = open(Service.builder()
      .method("price", call -> 1)
      .method("never", call -> never)
      .build());

  private static Server open(Service service) {
    try {
      return Repartee.listen("tcp://127.0.0.1:0", service);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @AfterEach
  void close() {
    never.complete(0);
    server.close();
  }

  private Options with(Layer layer) {
    return Options.builder().clock(clock).callLayer(layer).build();
  }

  private Peer connect(Layer layer) throws Exception {
    return Repartee.connect(server.endpoint().toString(), Service.NONE, with(layer));
  }

  @Test
  void allAttemptsOfALayerHaveOneDeadline() throws Exception {
    BlockingQueue<Duration> left = new LinkedBlockingQueue<>();
    CompletableFuture<Object> again = new CompletableFuture<>();
    Layer layer = (call, next) -> {
      CompletionStage<?> first = (CompletionStage<?>) Objects.requireNonNull(next.handle(call));
      left.add(Objects.requireNonNull(call.timeLeft()));
      return first.thenCompose(result -> again).thenCompose(go -> {
        left.add(Objects.requireNonNull(call.timeLeft()));
        return stage(next, call);
      });
    };
    try (Peer peer = connect(layer)) {
      CallFuture<Integer> call =
          peer.request("price").timeout(Duration.ofSeconds(10)).send(Integer.class);
      clock.advance(Duration.ofSeconds(4));
      again.complete("go");
      assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo(1);
      assertThat(left).containsExactly(Duration.ofSeconds(10), Duration.ofSeconds(6));
    }
  }

  private static CompletionStage<Object> stage(Handler next, Call call) {
    try {
      Object outcome = next.handle(call);
      return ((CompletionStage<?>) Objects.requireNonNull(outcome)).thenApply(result -> result);
    } catch (Exception e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Test
  void anAttemptTimesOutAtTheDeadlineOfTheCall() throws Exception {
    Layer late = (call, next) -> {
      clock.advance(Duration.ofSeconds(4));
      return next.handle(call);
    };
    try (Peer peer = connect(late)) {
      CallFuture<Integer> call =
          peer.request("never").timeout(Duration.ofSeconds(10)).send(Integer.class);
      clock.advance(Duration.ofSeconds(5));
      assertThat(call).isNotDone();
      clock.advance(Duration.ofSeconds(1));
      assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS))
          .hasMessageContaining("no answer to 'never' within 10 s");
    }
  }

  @Test
  void aCallThatALayerHasHeldBeyondItsDeadlineIsNotSent() throws Exception {
    Layer late = (call, next) -> {
      clock.advance(Duration.ofSeconds(10));
      return next.handle(call);
    };
    try (Peer peer = connect(late)) {
      assertThatThrownBy(
              () -> peer.request("price").timeout(Duration.ofSeconds(10)).call(int.class))
          .isInstanceOfSatisfying(
              CallTimeoutException.class,
              failure -> assertThat(failure.unsent()).isNotNull());
    }
  }

  @Test
  void aCallInABatchThatIsNotSentWasNotHandled() throws Exception {
    try (Peer peer = connect((call, next) -> next.handle(call))) {
      CallFuture<Integer> call = peer.batch().callAsync("price", Integer.class);
      clock.advance(Duration.ofMinutes(1));
      assertThatThrownBy(call::await)
          .hasMessageStartingWith("'price' was not sent within 60 s")
          .isInstanceOfSatisfying(
              CallTimeoutException.class,
              failure -> assertThat(failure.unsent()).isEqualTo("its batch was not sent"));
    }
  }

  @Test
  void aCallThatIsNotSentAgainForLackOfTimeMayHaveBeenHandled() throws Exception {
    Layer again = (call, next) -> {
      Object first = next.handle(call);
      clock.advance(Duration.ofSeconds(10));
      assertThat(first).isNotNull();
      return next.handle(call);
    };
    try (Peer peer = connect(again)) {
      assertThatThrownBy(
              () -> peer.request("never").timeout(Duration.ofSeconds(10)).call(int.class))
          .isInstanceOfSatisfying(
              CallTimeoutException.class,
              failure -> assertThat(failure.unsent()).isNull());
    }
  }

  /** Returns the failure of a call with 10 s that a layer holds: it ends a second later. */
  private CallTimeoutException failureOfHeld(CallFuture<Integer> call) {
    clock.advance(Duration.ofSeconds(10));
    assertThat(call).as("the layer may still end it").isNotDone();
    clock.advance(Duration.ofSeconds(1));
    return catchThrowableOfType(CallTimeoutException.class, call::await);
  }

  @Test
  void aCallThatALayerNeverPassesOnEnds() throws Exception {
    List<Call> held = new ArrayList<>();
    Layer holds = (call, next) -> {
      held.add(call);
      return new CompletableFuture<>();
    };
    try (Peer peer = connect(holds)) {
      CallFuture<Integer> call =
          peer.request("price").timeout(Duration.ofSeconds(10)).send(Integer.class);
      CallTimeoutException failure = failureOfHeld(call);
      assertThat(failure.unsent()).isNotNull();
      assertThat(failure).hasMessageContaining("'price' was not sent within 10 s");
      assertThat(held).hasSize(1).allMatch(each -> each.cancellation().isCancelled());
    }
  }

  @Test
  void aCallThatALayerHoldsAfterItsAnswerEnds() throws Exception {
    List<Call> held = new CopyOnWriteArrayList<>();
    Layer holds = (call, next) -> {
      held.add(call);
      return stage(next, call).thenCompose(result -> new CompletableFuture<>());
    };
    try (Peer peer = connect(holds)) {
      CallFuture<Integer> call =
          peer.request("price").timeout(Duration.ofSeconds(10)).send(Integer.class);
      assertThat(clock.awaitTimer()).isEqualTo(Duration.ofSeconds(11));
      CallTimeoutException failure = failureOfHeld(call);
      assertThat(failure.unsent()).isNull();
      assertThat(failure).hasMessageContaining("no answer to 'price' within 10 s");
      assertThat(held).hasSize(1).allMatch(each -> each.cancellation().isCancelled());
    }
  }

  @Test
  void aLayerMayAnswerAtTheDeadline() throws Exception {
    Layer answers = (call, next) -> {
      CompletableFuture<Integer> answer = new CompletableFuture<>();
      clock.schedule(
          Objects.requireNonNull(call.timeLeft()), Runnable::run, () -> answer.complete(3));
      return answer;
    };
    try (Peer peer = connect(answers)) {
      CallFuture<Integer> call =
          peer.request("price").timeout(Duration.ofSeconds(10)).send(Integer.class);
      clock.advance(Duration.ofMinutes(1));
      assertThat(call.await()).isEqualTo(3);
    }
  }

  @Test
  void aCallWaitsForRoomInTheWriteQueueUntilItsDeadline() {
    List<Long> waits = new ArrayList<>();
    FullChannel full = new FullChannel() {
      @Override
      public boolean awaitRoom(long time, TimeUnit unit) {
        waits.add(unit.toMillis(time));
        return false;
      }
    };
    Peer peer = Peer.open(full, Service.NONE, Options.builder().clock(clock).build());
    assertThatThrownBy(
            () -> peer.request("price").timeout(Duration.ofSeconds(2)).call(int.class))
        .isInstanceOfSatisfying(
            CallTimeoutException.class, failure -> assertThat(failure.unsent()).isNotNull())
        .hasMessageContaining("'price' was not sent within 2 s")
        .hasMessageContaining("the write queue is full");
    assertThat(waits).containsExactly(0L, 2_000L);
    waits.clear();
    assertThatThrownBy(() -> peer.request("price").timeout(Duration.ofHours(2)).call(int.class))
        .isInstanceOf(LimitException.class);
    assertThat(waits).containsExactly(0L, 30_000L);
  }
}
