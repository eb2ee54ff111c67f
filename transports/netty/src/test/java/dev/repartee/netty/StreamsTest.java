package dev.repartee.netty;

import static dev.repartee.testkit.RawConnection.post;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.stream.RemoteStream;
import dev.repartee.stream.Streamed;
import dev.repartee.stream.Streaming;
import dev.repartee.testkit.RawConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams over HTTP and WebSocket. */
@Timeout(60)
class StreamsTest {
  /** A service with streams. */
  public static final class Rows {
    final AtomicLong produced = new AtomicLong();
    final CountDownLatch closed = new CountDownLatch(1);
    final SubmissionPublisher<String> news = new SubmissionPublisher<>();

    public Stream<Long> numbers(long count) {
      return LongStream.range(0, count)
          .boxed()
          .peek(i -> produced.incrementAndGet())
          .onClose(closed::countDown);
    }

    public Stream<Long> broken() {
      return Stream.of(1L, 2L).map(i -> {
        if (i == 2) {
          throw new RpcException(7, "broken");
        }
        return i;
      });
    }

    public Flow.Publisher<String> news() {
      return news;
    }

    @Streamed(subscription = "pushed", unsubscribe = "unsubscribe")
    public Flow.Publisher<String> subscribe() {
      return news;
    }

    @Streamed(partialResults = true)
    public Stream<Integer> partial(int count) {
      return IntStream.range(0, count).boxed();
    }

    public int plain() {
      return 1;
    }
  }

  /** The service as a client sees it. */
  public interface RemoteRows {
    RemoteStream<Long> numbers(long count);

    RemoteStream<Long> broken();

    RemoteStream<String> news();

    @Streamed(subscription = "pushed", unsubscribe = "unsubscribe")
    RemoteStream<String> subscribe();

    int plain();
  }

  private final Rows rows = new Rows();
  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    rows.news.close();
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  private Server serve() throws IOException {
    Server server = Repartee.listen("http://127.0.0.1:0/", Service.of(rows), Options.DEFAULT);
    open.add(() -> server.close(Duration.ZERO));
    return server;
  }

  private Peer connect(String scheme) throws IOException {
    Peer peer = Repartee.connect(serve().endpoint().toString().replaceFirst("^http", scheme));
    open.add(0, () -> peer.close(Duration.ZERO));
    return peer;
  }

  private static void awaitSubscribers(SubmissionPublisher<?> publisher, int count) {
    while (publisher.getNumberOfSubscribers() != count) {
      if (Thread.interrupted()) { // by the time-out of the test
        throw new AssertionError(publisher.getNumberOfSubscribers() + " subscribers");
      }
      Thread.onSpinWait();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "ws"})
  void itemsArriveInOrder(String scheme) throws Exception {
    RemoteRows remote = connect(scheme).proxy(RemoteRows.class);
    AtomicLong next = new AtomicLong();
    remote
        .numbers(100_000)
        .forEach(i -> assertThat(i).isEqualTo(next.getAndIncrement()))
        .get(50, SECONDS);
    assertThat(next).hasValue(100_000);
    assertThat(rows.closed.await(60, SECONDS)).isTrue();
    assertThat(remote.plain()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "ws"})
  void anErrorEndsTheStream(String scheme) throws Exception {
    RemoteRows remote = connect(scheme).proxy(RemoteRows.class);
    List<Long> items = new ArrayList<>();
    CompletableFuture<?> done = remote.broken().forEach(items::add);
    assertThatThrownBy(() -> done.get(60, SECONDS)).hasMessageContaining("broken (7)");
    assertThat(items).containsExactly(1L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "ws"})
  void cancellingClosesTheSource(String scheme) throws Exception {
    RemoteRows remote = connect(scheme).proxy(RemoteRows.class);
    CompletableFuture<?> done = remote.numbers(Long.MAX_VALUE).forEach(i -> {});
    while (rows.produced.get() < 1_000) {
      Thread.onSpinWait();
    }
    done.cancel(true);
    assertThat(rows.closed.await(60, SECONDS)).isTrue();
    assertThat(remote.plain()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "ws"})
  void theEndOfTheClientCancelsThePublisher(String scheme) throws Exception {
    Peer peer = connect(scheme);
    CompletableFuture<?> done = peer.proxy(RemoteRows.class).news().forEach(item -> {});
    awaitSubscribers(rows.news, 1);
    peer.close(Duration.ZERO);
    awaitSubscribers(rows.news, 0);
    assertThatThrownBy(() -> done.get(60, SECONDS)).hasCauseInstanceOf(RuntimeException.class);
  }

  @Test
  void aSlowSubscriberOverHttpStopsTheServerAndDelaysNoOtherCall() throws Exception {
    Peer peer = connect("http");
    RemoteRows remote = peer.proxy(RemoteRows.class);
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicLong received = new AtomicLong();
    int count = 1_000_000;
    CompletableFuture<?> done = remote.numbers(count).forEach(i -> {
      try {
        goOn.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      if (i != received.getAndIncrement()) {
        throw new IllegalStateException("out of order: " + i);
      }
    });
    long before = -1;
    while (rows.produced.get() == 0 || rows.produced.get() != before) {
      before = rows.produced.get();
      for (int i = 0; i < 20; i++) {
        assertThat(remote.plain()).isEqualTo(1);
      }
    }
    assertThat(before).isLessThan(count);
    assertThat(MemoryBudget.ofProcess().held()).isLessThan(8 << 20);
    goOn.countDown();
    done.get(50, SECONDS);
    assertThat(received).hasValue(count);
  }

  @Test
  void itemsAreEventsOfTheResponse() throws Exception {
    try (RawConnection raw = new RawConnection(serve())) {
      raw.send(post("""
          {"jsonrpc":"2.0","method":"numbers","params":[1],"id":1}\
          """, "Accept: application/json, text/event-stream"));
      assertThat(raw.head()).startsWith("HTTP/1.1 200 ").contains("text/event-stream");
      assertThat(raw.event()).isEqualTo("""
          data: {"jsonrpc":"2.0","method":"rpc.items","params":{"id":1,"items":[0]}}

          """);
      assertThat(raw.event()).isEqualTo("""
          data: {"jsonrpc":"2.0","result":1,"id":1}

          """);
      assertThat(raw.event()).isEmpty();
    }
  }

  @Test
  void aClientThatTakesNoEventsIsToldSo() throws Exception {
    try (RawConnection raw = new RawConnection(serve())) {
      raw.send(post("""
          {"jsonrpc":"2.0","method":"numbers","params":[1],"id":1}"""));
      assertThat(raw.answer()).contains("-32600", "has to accept text/event-stream");
      assertThat(rows.closed.await(60, SECONDS)).isTrue();
    }
  }

  @Test
  void aClientOverHttpThatLeavesCancelsThePublisher() throws Exception {
    try (RawConnection raw = new RawConnection(serve())) {
      raw.send(post("""
          {"jsonrpc":"2.0","method":"numbers","params":[9000000000],"id":1}\
          """, "Accept: text/event-stream"));
      assertThat(raw.head()).contains("text/event-stream");
    }
    assertThat(rows.closed.await(60, SECONDS)).isTrue();
  }

  @Test
  void subscriptionsNeedAWebSocket() throws Exception {
    RemoteRows remote = connect("ws").proxy(RemoteRows.class);
    CompletableFuture<String> first = new CompletableFuture<>();
    CompletableFuture<?> done = remote.subscribe().forEach(first::complete);
    awaitSubscribers(rows.news, 1);
    rows.news.submit("a");
    assertThat(first.get(60, SECONDS)).isEqualTo("a");
    done.cancel(true);
    awaitSubscribers(rows.news, 0);
    CompletableFuture<?> refused =
        connect("http").proxy(RemoteRows.class).subscribe().forEach(item -> {});
    assertThatThrownBy(() -> refused.get(60, SECONDS))
        .hasMessageContaining("needs a connection that carries notifications")
        .hasMessageContaining("not http");
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "ws"})
  void partialResultsTravelToo(String scheme) throws Exception {
    Peer peer = connect(scheme);
    List<Integer> items = new ArrayList<>();
    peer.request("partial").arg("count", 10_000).streaming(Streaming.partialResults()).stream(
            int.class)
        .forEach(items::add)
        .get(60, SECONDS);
    assertThat(items).isEqualTo(IntStream.range(0, 10_000).boxed().toList());
  }
}
