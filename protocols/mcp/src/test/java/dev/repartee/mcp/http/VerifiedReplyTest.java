package dev.repartee.mcp.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.internal.FakeClock;
import dev.repartee.transport.http.HttpReply;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class VerifiedReplyTest {
  private static final Duration INTERVAL = Duration.ofMinutes(1);

  private final FakeClock clock = new FakeClock();
  private final AtomicInteger checks = new AtomicInteger();
  private final CountDownLatch gone = new CountDownLatch(1);
  private final Connection connection = new Connection();

  /** A connection of a client, which may break. */
  private static final class Connection implements HttpReply {
    final CountDownLatch ended = new CountDownLatch(1);

    volatile @Nullable Runnable gone;

    @Override
    public boolean takesEvents() {
      return true;
    }

    @Override
    public boolean answer(int status, Map<String, String> headers, byte[] body) {
      return false;
    }

    @Override
    public void mayStream(Map<String, String> headers) {}

    @Override
    public boolean stream(Map<String, String> headers) {
      return true;
    }

    @Override
    public void send(Event event) {}

    @Override
    public boolean awaitRoom(long time, TimeUnit unit) {
      return true;
    }

    @Override
    public void end() {
      ended.countDown();
    }

    @Override
    public void onGone(Runnable action) {
      gone = action;
    }
  }

  private HttpReply verified(Supplier<CompletionStage<Boolean>> check) {
    return new VerifiedReply(connection, INTERVAL, check, clock);
  }

  @Test
  void aStreamEndsWhenItsTokenIsNoLongerValid() {
    verified(() -> CompletableFuture.completedFuture(checks.incrementAndGet() < 3))
        .onGone(gone::countDown);
    clock.advance(INTERVAL.multipliedBy(2));
    assertThat(gone.getCount()).isOne();
    clock.advance(INTERVAL);
    assertThat(gone.getCount()).isZero();
    assertThat(connection.ended.getCount()).isZero();
    assertThat(checks).hasValue(3);
    assertThat(clock.timers()).isZero();
  }

  @Test
  void aStreamEndsWhenItsTokenCanNoLongerBeVerified() {
    verified(() -> CompletableFuture.failedFuture(new Exception())).onGone(gone::countDown);
    clock.advance(INTERVAL);
    assertThat(gone.getCount()).isZero();
    assertThat(connection.ended.getCount()).isZero();
  }

  @Test
  void noTokenIsVerifiedForAnEndedStreamOrADisconnectedClient() {
    Supplier<CompletionStage<Boolean>> check = () -> {
      checks.incrementAndGet();
      return CompletableFuture.completedFuture(true);
    };
    verified(check).end();
    verified(check).onGone(gone::countDown);
    connection.gone.run();
    assertThat(gone.getCount()).isZero();
    assertThat(clock.timers()).isZero();
    clock.advance(INTERVAL);
    assertThat(checks).hasValue(0);
  }
}
