package dev.repartee.reconnect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.internal.FakeClock;
import dev.repartee.internal.HeldPort;
import dev.repartee.json.JsonWriter;
import dev.repartee.stream.RemoteStream;
import dev.repartee.stream.Streamed;
import dev.repartee.transport.DisconnectedException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams and subscriptions of a peer that reconnects. */
@Timeout(60)
class ReconnectingStreamsTest {
  /** A service with streams that do not end. */
  public static final class News {
    final SubmissionPublisher<String> news = new SubmissionPublisher<>();

    @Rpc
    public Flow.Publisher<String> stream() {
      return news;
    }

    @Rpc("subscribe")
    @Streamed(subscription = "pushed", unsubscribe = "unsubscribe")
    public Flow.Publisher<String> subscription() {
      return news;
    }
  }

  /** The service as a client sees it. */
  public interface RemoteNews {
    RemoteStream<String> stream();

    @Rpc("subscribe")
    @Streamed(subscription = "pushed", unsubscribe = "unsubscribe")
    RemoteStream<String> subscription();
  }

  private final News news = new News();
  private final FakeClock clock = new FakeClock();
  private final Events events = new Events();
  private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

  @AfterEach
  void close() {
    news.news.close();
  }

  private Reconnecting to(String uri) {
    return Reconnecting.to(uri).clock(clock, () -> 0.5).listener(events);
  }

  private static RemoteStream<String> open(Peer peer, String form) {
    RemoteNews remote = peer.proxy(RemoteNews.class);
    return form.equals("stream") ? remote.stream() : remote.subscription();
  }

  /** Waits until the stream is open at the server, and until an item has come through it. */
  private void passesAnItem(String item) throws InterruptedException {
    awaitSubscribers(1);
    news.news.submit(item);
    assertThat(heard.poll(60, TimeUnit.SECONDS)).isEqualTo(item);
  }

  private void awaitSubscribers(int count) throws InterruptedException {
    while (news.news.getNumberOfSubscribers() != count) {
      if (Thread.interrupted()) { // the time-out of the test
        throw new InterruptedException(
            news.news.getNumberOfSubscribers() + " subscribers, not " + count + ": " + events.all);
      }
      Thread.onSpinWait();
    }
  }

  private static void assertDisconnected(CompletableFuture<?> done) {
    assertThatThrownBy(() -> done.get(60, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(DisconnectedException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"stream", "subscription"})
  void aStreamEndsWithItsConnectionAndIsOpenedAgainOnTheNext(String form) throws Exception {
    HeldPort port = new HeldPort();
    String uri = "tcp://127.0.0.1:" + port.number();
    Server server = Repartee.listen(uri, Service.of(news));
    try (port;
        Peer peer = to(uri).connect()) {
      RemoteStream<String> stream = open(peer, form);
      for (int i = 0; i < 3; i++) {
        CompletableFuture<?> done = stream.forEach(heard::add);
        passesAnItem("item " + i);
        assertThat(done).isNotDone();
        server.close(Duration.ZERO);
        assertDisconnected(done);
        awaitSubscribers(0);
        clock.awaitTimer();
        server = Repartee.listen(uri, Service.of(news));
        clock.advanceToTimer();
      }
    } finally {
      server.close(Duration.ZERO);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"stream", "subscription"})
  void aStreamThatIsOpenedWithoutAConnectionFailsAndDoesNotWait(String form) throws Exception {
    Server server = Repartee.listen("tcp://127.0.0.1:0", Service.of(news));
    try (Peer peer = to(server.endpoint().toString()).connect()) {
      server.close(Duration.ZERO);
      clock.awaitTimer();
      assertDisconnected(open(peer, form).forEach(heard::add));
    } finally {
      server.close(Duration.ZERO);
    }
    assertThat(news.news.getNumberOfSubscribers()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"stream", "subscription"})
  void aStreamThatIsOpenedWhenConnectedHasASuccessorOnEachConnection(String form) throws Exception {
    HeldPort port = new HeldPort();
    String uri = "tcp://127.0.0.1:" + port.number();
    Server server = Repartee.listen(uri, Service.of(news));
    Reconnecting reconnecting =
        to(uri).onConnected(connection -> open(connection, form).forEach(heard::add));
    try (port;
        Peer peer = reconnecting.connect()) {
      for (int i = 0; i < 3; i++) {
        passesAnItem("item " + i);
        server.close(Duration.ZERO);
        awaitSubscribers(0);
        clock.awaitTimer();
        server = Repartee.listen(uri, Service.of(news));
        clock.advanceToTimer();
      }
      assertThat(peer.isOpen()).isTrue();
    } finally {
      server.close(Duration.ZERO);
    }
  }

  @Test
  void aStreamThatIsOpenedAfterTheEndOfThePeerFails() throws Exception {
    try (Server server = Repartee.listen("mem:over", Service.of(news))) {
      Peer peer = to(server.endpoint().toString()).connect();
      peer.close();
      assertThatThrownBy(() -> open(peer, "stream").forEach(heard::add).get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(DisconnectedException.class)
          .hasMessageContaining("the peer that reconnects has ended");
    }
  }

  @Test
  void aStreamOfAProcessEndsWithItAndIsOpenedAgainInTheNext() throws Exception {
    String script = """
        read request; read credit; printf '{"jsonrpc":"2.0","method":"rpc.items",\
        "params":{"id":1,"items":["%s"]}}\\n' $$; exit 3""";
    String uri = "exec:[\"sh\",\"-c\"," + new JsonWriter().string(script) + "]";
    try (Peer peer = to(uri).connect()) {
      RemoteStream<String> stream = open(peer, "stream");
      assertDisconnected(stream.forEach(heard::add));
      clock.advanceToTimer();
      assertDisconnected(stream.forEach(heard::add));
      clock.awaitTimer();
    }
    assertThat(heard).as("process ids").hasSize(2).doesNotHaveDuplicates();
  }
}
