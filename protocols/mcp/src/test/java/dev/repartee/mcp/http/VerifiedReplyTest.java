package dev.repartee.mcp.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.transport.http.HttpReply;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class VerifiedReplyTest {
  private static final Duration OFTEN = Duration.ofMillis(5);

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

  @Test
  void aStreamEndsWhenItsTokenIsNoLongerValid() throws Exception {
    new VerifiedReply(
            connection,
            OFTEN,
            () -> CompletableFuture.completedFuture(checks.incrementAndGet() < 3))
        .onGone(gone::countDown);
    gone.await();
    connection.ended.await();
    assertThat(checks).hasValue(3);
  }

  @Test
  void aStreamEndsWhenItsTokenCanNoLongerBeVerified() throws Exception {
    new VerifiedReply(connection, OFTEN, () -> CompletableFuture.failedFuture(new Exception()))
        .onGone(gone::countDown);
    gone.await();
    connection.ended.await();
  }

  @Test
  void noTokenIsVerifiedForAnEndedStreamOrADisconnectedClient() throws Exception {
    HttpReply ended = new VerifiedReply(connection, OFTEN, () -> {
      checks.incrementAndGet();
      return new CompletableFuture<>();
    });
    ended.end();
    HttpReply left = new VerifiedReply(connection, Duration.ofHours(1), CompletableFuture::new);
    left.onGone(gone::countDown);
    connection.gone.run();
    assertThat(gone.await(10, TimeUnit.SECONDS)).isTrue();
    int before = checks.get(); // a check may have been running
    CountDownLatch others = new CountDownLatch(3);
    new VerifiedReply(connection, OFTEN, () -> {
      others.countDown();
      return CompletableFuture.completedFuture(true);
    });
    others.await();
    connection.gone.run();
    assertThat(checks.get()).isEqualTo(before).isLessThanOrEqualTo(1);
  }
}
