package dev.repartee.mcp.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Service;
import dev.repartee.limits.Limits;
import dev.repartee.transport.ChannelPair;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReconnectingPeerTest {
  private final AtomicInteger attempts = new AtomicInteger();

  private static Peer peer() {
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    Peer.open(pair.server(), Service.NONE, Options.DEFAULT);
    return Peer.open(pair.client(), Service.NONE, Options.DEFAULT);
  }

  @Test
  void anOpenConnectionIsReused() throws Exception {
    try (ReconnectingPeer connection = new ReconnectingPeer(() -> {
      attempts.incrementAndGet();
      return peer();
    })) {
      assertThat(connection.peer()).isSameAs(connection.peer());
      assertThat(attempts).hasValue(1);
    }
  }

  @Test
  void aLostConnectionIsMadeAgain() throws Exception {
    try (ReconnectingPeer connection = new ReconnectingPeer(ReconnectingPeerTest::peer)) {
      Peer first = connection.peer();
      first.close();
      assertThat(connection.peer()).isNotSameAs(first).matches(Peer::isOpen);
    }
  }

  @Test
  void allCallersShareOneAttempt() throws Exception {
    CountDownLatch connecting = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    ExecutorService callers = Executors.newCachedThreadPool();
    try (ReconnectingPeer connection = new ReconnectingPeer(() -> {
      attempts.incrementAndGet();
      connecting.countDown();
      awaited(go);
      return peer();
    })) {
      List<Future<Peer>> wanted = new ArrayList<>();
      wanted.add(callers.submit(connection::peer));
      assertThat(connecting.await(30, TimeUnit.SECONDS)).isTrue();
      for (int i = 0; i < 10; i++) {
        wanted.add(callers.submit(connection::peer));
      }
      go.countDown();
      for (Future<Peer> one : wanted) {
        assertThat(one.get()).isSameAs(connection.peer());
      }
      assertThat(attempts).hasValue(1);
    } finally {
      callers.shutdownNow();
    }
  }

  @Test
  void aFailedAttemptIsReportedAndTheNextOneMaySucceed() throws Exception {
    try (ReconnectingPeer connection = new ReconnectingPeer(() -> {
      if (attempts.incrementAndGet() == 1) {
        throw new IOException("cannot connect: nobody is there");
      }
      return peer();
    })) {
      assertThatThrownBy(connection::peer)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("nobody is there");
      assertThat(connection.peer().isOpen()).isTrue();
    }
  }

  @Test
  void closingAlsoClosesTheConnectionOfARunningAttempt() throws Exception {
    CountDownLatch connecting = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    ExecutorService callers = Executors.newCachedThreadPool();
    ReconnectingPeer connection = new ReconnectingPeer(() -> {
      connecting.countDown();
      awaited(go);
      return peer();
    });
    try {
      Future<Peer> late = callers.submit(connection::peer);
      assertThat(connecting.await(30, TimeUnit.SECONDS)).isTrue();
      connection.close();
      go.countDown();
      assertThat(late.get().isOpen()).isFalse();
      assertThatThrownBy(connection::peer)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("closed");
    } finally {
      callers.shutdownNow();
    }
  }

  @Test
  void callersWaitNoLongerThanTheLimitForAConnectorThatHangs() throws Exception {
    CountDownLatch connecting = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    try (ReconnectingPeer connection = new ReconnectingPeer(
        () -> {
          attempts.incrementAndGet();
          connecting.countDown();
          awaited(go);
          return peer();
        },
        Duration.ofMillis(50),
        ReconnectingPeer.THREADS)) {
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(connection::peer)
            .isInstanceOf(IOException.class)
            .hasMessage("no connection within 50 ms");
      }
      assertThat(connecting.await(30, TimeUnit.SECONDS)).isTrue(); // it may start late
      assertThat(attempts).hasValue(1);
      go.countDown();
      Peer made = null;
      while (made == null) {
        try {
          made = connection.peer();
        } catch (IOException e) {
          assertThat(e).hasMessageContaining("50 ms");
        }
      }
      assertThat(made.isOpen()).isTrue();
    }
  }

  @Test
  void anAttemptForWhichNoThreadStartsIsMadeLater() throws Exception {
    Executor exhausted = attempt -> {
      if (attempts.incrementAndGet() == 1) {
        throw new OutOfMemoryError("by design");
      }
      ReconnectingPeer.THREADS.execute(attempt);
    };
    try (ReconnectingPeer connection =
        new ReconnectingPeer(ReconnectingPeerTest::peer, Duration.ofSeconds(20), exhausted)) {
      assertThat(connection.peer().isOpen()).isTrue();
    }
  }

  private static void awaited(CountDownLatch latch) throws IOException {
    try {
      if (!latch.await(30, TimeUnit.SECONDS)) {
        throw new IOException("nobody let go");
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
