package dev.repartee;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonTypes;
import dev.repartee.json.UnknownMembers;
import dev.repartee.limits.Limits;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.stream.LaggedException;
import dev.repartee.stream.Overflow;
import dev.repartee.stream.RemoteStream;
import dev.repartee.stream.Streamed;
import dev.repartee.stream.Streaming;
import dev.repartee.stream.flow.Inflow;
import dev.repartee.stream.flow.Outflow;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.ChannelPair;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Streams as calls that stay open. */
@Timeout(60)
class StreamsTest {
  /** An item. */
  public record Row(int id, String name) {}

  /** A service with streams of each kind. */
  public static final class Rows {
    final AtomicLong produced = new AtomicLong();
    final CountDownLatch closed = new CountDownLatch(1);
    final SubmissionPublisher<Row> news = new SubmissionPublisher<>();

    public Stream<Row> rows(int count) {
      return IntStream.range(0, count)
          .mapToObj(i -> new Row(i, "row " + i))
          .peek(row -> produced.incrementAndGet())
          .onClose(closed::countDown);
    }

    public Iterator<Integer> numbers(int count) {
      return IntStream.range(0, count).iterator();
    }

    /** An iterator that has something to close, as one over the rows of a database. */
    public final class Cursor implements Iterator<Integer>, AutoCloseable {
      @Override
      public boolean hasNext() {
        return true;
      }

      @Override
      public Integer next() {
        return 1;
      }

      @Override
      public void close() {
        closed.countDown();
      }
    }

    public Cursor cursor() {
      return new Cursor();
    }

    public Flow.Publisher<Row> news() {
      return news;
    }

    public Stream<Row> broken(int count) {
      return rows(count).map(row -> {
        if (row.id() == count - 1) {
          throw new RpcException(7, "no more rows");
        }
        return row;
      });
    }

    public int plain() {
      return 1;
    }
  }

  /** The service as a client sees it. */
  public interface RemoteRows {
    RemoteStream<Row> rows(int count);

    Flow.Publisher<Integer> numbers(int count);

    RemoteStream<Row> news();

    RemoteStream<Row> broken(int count);

    int plain();
  }

  private final Rows rows = new Rows();
  private final List<AutoCloseable> open = new ArrayList<>();
  private final BlockingQueue<String> violations = new LinkedBlockingQueue<>();
  private final Listener listener = new Listener() {
    @Override
    public void violation(ChannelInfo channel, String violation) {
      violations.add(violation);
    }
  };

  @AfterEach
  void close() throws Exception {
    rows.news.close();
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  private Server serve(Service service, Options options) throws IOException {
    Server server = Repartee.listen("tcp://127.0.0.1:0", service, options);
    open.add(() -> server.close(Duration.ZERO));
    return server;
  }

  private Peer connect(Server server) throws IOException {
    Peer peer = Repartee.connect(server.endpoint(), options());
    open.add(0, () -> peer.close(Duration.ZERO));
    return peer;
  }

  private Peer peer() throws IOException {
    return connect(serve(Service.of(rows), options()));
  }

  private Options options() {
    return Options.builder().listener(listener).build();
  }

  private static <T> List<T> all(Flow.Publisher<T> stream) throws Exception {
    List<T> items = Collections.synchronizedList(new ArrayList<>());
    ((RemoteStream<T>) stream).forEach(items::add).get(60, SECONDS);
    return items;
  }

  // ---------------------------------------------------------------- items

  @Test
  void aJavaStreamArrivesInOrderAndIsClosed() throws Exception {
    RemoteRows remote = peer().proxy(RemoteRows.class);
    assertThat(all(remote.rows(10_000)))
        .hasSize(10_000)
        .element(9_999)
        .isEqualTo(new Row(9_999, "row 9999"));
    assertThat(rows.closed.await(60, SECONDS)).isTrue();
    assertThat(all(remote.rows(0))).isEmpty();
    assertThat(all(remote.numbers(1_000)))
        .isEqualTo(IntStream.range(0, 1_000).boxed().toList());
    assertThat(remote.plain()).isEqualTo(1);
  }

  @Test
  void eachSubscriberOpensAStreamOfItsOwn() throws Exception {
    RemoteStream<Row> stream = peer().request("rows").args(2).stream(Row.class);
    assertThat(rows.produced).hasValue(0);
    assertThat(all(stream)).hasSize(2);
    assertThat(all(stream)).hasSize(2);
  }

  @Test
  void lambdasReturnStreams() throws Exception {
    record Range(int from, int to) {}
    Service service = Service.builder()
        .method("untyped", call -> Stream.of(1, 2, 3))
        .method(
            "later", call -> CompletableFuture.supplyAsync(() -> List.of(4, 5).iterator()))
        .stream(
            "typed",
            Range.class,
            Integer.class,
            (range, call) -> IntStream.range(range.from(), range.to()).boxed())
        .build();
    Peer peer = connect(serve(service, options()));
    assertThat(all(peer.request("untyped").stream(int.class))).containsExactly(1, 2, 3);
    assertThat(all(peer.request("later").stream(int.class))).containsExactly(4, 5);
    assertThat(all(peer.request("typed").params(new Range(3, 6)).stream(int.class)))
        .containsExactly(3, 4, 5);
  }

  @Test
  void bothSidesOfAConnectionStream() throws Exception {
    Service service = Service.builder()
        .method("sum", call -> {
          long[] sum = new long[1];
          call.peer()
              .proxy(RemoteRows.class)
              .rows(1_000)
              .forEach(row -> sum[0] += row.id())
              .get();
          return sum[0];
        })
        .build();
    Server server = serve(service, options());
    Peer peer = Repartee.connect(server.endpoint(), Service.of(rows), options());
    open.add(0, () -> peer.close(Duration.ZERO));
    assertThat(peer.call("sum", long.class)).isEqualTo(499_500);
  }

  @Test
  void readyItemsShareAFrame() throws Exception {
    try (RawPeer raw = new RawPeer(serve(Service.of(rows), options()))) {
      raw.send("""
          {"jsonrpc":"2.0","id":"a","method":"numbers","params":[2000]}""");
      raw.send("""
          {"jsonrpc":"2.0","method":"rpc.credit","params":{"id":"a","n":5000}}""");
      int frames = 0;
      int items = 0;
      Json frame = raw.read();
      while (frame.get("method") != null) {
        assertThat(RawPeer.at(frame, "/params/id")).isEqualTo(Json.of("a"));
        items += RawPeer.at(frame, "/params/items").elements().size();
        frames++;
        frame = raw.read();
      }
      assertThat(frame).hasToString("""
          {"jsonrpc":"2.0","result":2000,"id":"a"}""");
      assertThat(items).isEqualTo(2000);
      assertThat(frames).isLessThan(1000);
    }
  }

  // ---------------------------------------------------------------- flow control

  @Test
  void manyItemsForASlowReaderTakeNoMemory() throws Exception {
    int count = 200_000; // 10 MB
    AtomicLong consumed = new AtomicLong();
    AtomicLong most = new AtomicLong();
    AtomicLong held = new AtomicLong();
    Service service = Service.builder()
        .method(
            "count",
            call -> LongStream.range(0, count).boxed().peek(i -> {
              most.accumulateAndGet(i - consumed.get(), Math::max);
              if (i % 1_000 == 0) {
                held.accumulateAndGet(
                    MemoryBudget.ofProcess().held() + MemoryBudget.ofAnswers().held(), Math::max);
              }
            }))
        .build();
    Peer peer = connect(serve(service, options()));
    peer.request("count").stream(long.class)
        .forEach(i -> {
          if (i != consumed.getAndIncrement()) {
            throw new IllegalStateException("out of order: " + i);
          }
          if (i % 20_000 == 0) {
            Thread.yield();
          }
        })
        .get(50, SECONDS);
    assertThat(consumed).hasValue(count);
    assertThat(most.get()).isLessThanOrEqualTo(2 * 256);
    assertThat(held.get()).isLessThan(1 << 20);
  }

  @Test
  void thePublisherIsAskedForWhatWasGranted() throws Exception {
    AtomicLong asked = new AtomicLong();
    Service service = Service.builder()
        .method(
            "asked",
            call -> (Flow.Publisher<Integer>) to -> to.onSubscribe(new Flow.Subscription() {
              @Override
              public void request(long n) {
                asked.addAndGet(n);
                for (long i = 0; i < n; i++) {
                  to.onNext(1);
                }
              }

              @Override
              public void cancel() {}
            }))
        .build();
    try (RawPeer raw = new RawPeer(serve(service, options()))) {
      raw.send("""
          {"jsonrpc":"2.0","id":1,"method":"asked"}""");
      raw.credit(1, "3");
      assertThat(raw.items(3)).isEqualTo(3);
      raw.credit(1, "4");
      assertThat(raw.items(4)).isEqualTo(4);
      assertThat(asked).hasValue(7);
    }
  }

  @Test
  void aSubscriberThatRequestsOneItemGetsOne() throws Exception {
    Probe<Row> probe = new Probe<>();
    peer().proxy(RemoteRows.class).rows(5).subscribe(probe);
    Flow.Subscription subscription = probe.subscribed.get();
    subscription.request(1);
    assertThat(probe.items.poll(60, SECONDS)).isEqualTo(new Row(0, "row 0"));
    assertThat(probe.items.poll()).isNull();
    subscription.request(4);
    assertThat(probe.end.get(60, SECONDS)).isTrue();
    assertThat(probe.items).hasSize(4);
  }

  @Test
  void aSlowSubscriberMayDropTheOldestItems() throws Exception {
    Probe<Integer> probe = new Probe<>();
    peer()
        .request("numbers")
        .args(10_000)
        .streaming(Streaming.DEFAULT.overflow(Overflow.DROP_OLDEST).buffer(10))
        .stream(int.class)
        .subscribe(probe);
    Flow.Subscription subscription = probe.subscribed.get();
    subscription.request(1);
    int first = probe.items.poll(60, SECONDS);
    // The last items are the ones that stay; request until they are all that is left.
    while (!probe.end.isDone()) {
      subscription.request(1);
      Integer next = probe.items.poll(1, SECONDS);
      if (next != null) {
        assertThat(next).isGreaterThan(first);
        first = next;
      }
    }
    assertThat(probe.end.get(60, SECONDS)).isTrue();
    // A poll that found nothing has left a request, so several items may have come at the end.
    for (int next : probe.items) {
      assertThat(next).isGreaterThan(first);
      first = next;
    }
    assertThat(first).isEqualTo(9_999);
  }

  @Test
  void aSlowSubscriberMayEndTheStream() throws Exception {
    Probe<Row> probe = new Probe<>();
    peer()
        .request("rows")
        .args(1_000_000)
        .streaming(Streaming.DEFAULT.overflow(Overflow.CLOSE).buffer(10))
        .stream(Row.class)
        .subscribe(probe);
    assertThat(probe.failure()).isInstanceOf(LaggedException.class).hasMessageContaining("'rows'");
    assertThat(rows.closed.await(60, SECONDS)).isTrue();
  }

  /** Delivers items to one subscriber, on the thread that submits them. */
  private static final class Ticks implements Flow.Publisher<Integer> {
    /** The subscriber, once it has asked for items. */
    private final CompletableFuture<Flow.Subscriber<? super Integer>> asking =
        new CompletableFuture<>();

    @Override
    public void subscribe(Flow.Subscriber<? super Integer> subscriber) {
      subscriber.onSubscribe(new Flow.Subscription() {
        @Override
        public void request(long n) {
          asking.complete(subscriber);
        }

        @Override
        public void cancel() {}
      });
    }

    void submit(int count) throws Exception {
      Flow.Subscriber<? super Integer> subscriber = asking.get(60, SECONDS);
      for (int i = 0; i < count; i++) {
        subscriber.onNext(i);
      }
    }
  }

  /** A service that drops items, or ends the stream, for slow callers. */
  public static final class Live {
    private final Ticks ticks = new Ticks();

    @Streamed(overflow = Overflow.DROP_OLDEST, buffer = 3)
    public Flow.Publisher<Integer> latest() {
      return ticks;
    }

    @Streamed(overflow = Overflow.CLOSE, buffer = 3)
    public Flow.Publisher<Integer> strict() {
      return ticks;
    }
  }

  private static void awaitSubscriber(SubmissionPublisher<?> publisher) {
    while (publisher.getNumberOfSubscribers() == 0) {
      if (Thread.interrupted()) { // by the time-out of the test
        throw new AssertionError(publisher.getNumberOfSubscribers() + " subscribers");
      }
      Thread.onSpinWait();
    }
  }

  @Test
  void aServiceMayDropTheOldestItems() throws Exception {
    Live live = new Live();
    try (RawPeer raw = new RawPeer(serve(Service.of(live), options()))) {
      raw.send("""
          {"jsonrpc":"2.0","id":1,"method":"latest"}""");
      live.ticks.submit(100);
      live.ticks.asking.get().onComplete();
      raw.credit(1, "100");
      Json items = raw.read();
      assertThat(RawPeer.at(items, "/params/items")).hasToString("[97,98,99]");
      assertThat(raw.read().get("result")).hasToString("3");
    }
  }

  @Test
  void aServiceMayEndTheStreamOfASlowCaller() throws Exception {
    Live live = new Live();
    try (RawPeer raw = new RawPeer(serve(Service.of(live), options()))) {
      raw.send("""
          {"jsonrpc":"2.0","id":1,"method":"strict"}""");
      live.ticks.submit(4);
      assertThat(RawPeer.at(raw.read(), "/error")).hasToString("""
          {"code":-32005,"message":"Too slow; the stream was closed",\
          "data":{"limit":"buffer","max":3}}""");
    }
  }

  // ---------------------------------------------------------------- ends

  @Test
  void anErrorOfTheStreamFollowsItsItems() throws Exception {
    Probe<Row> probe = new Probe<>(Long.MAX_VALUE);
    peer().proxy(RemoteRows.class).broken(5).subscribe(probe);
    assertThat(probe.failure())
        .isInstanceOfSatisfying(
            RemoteRpcException.class, e -> assertThat(e.code()).isEqualTo(7));
    assertThat(probe.items).hasSize(4);
  }

  @Test
  void cancellingClosesTheSource() throws Exception {
    Peer peer = peer();
    CompletableFuture<?> done =
        peer.proxy(RemoteRows.class).rows(Integer.MAX_VALUE).forEach(row -> {});
    while (rows.produced.get() < 1_000) {
      Thread.onSpinWait();
    }
    done.cancel(true);
    assertThat(rows.closed.await(60, SECONDS)).isTrue();
    assertThat(peer.call("plain", int.class)).isEqualTo(1);
  }

  @Test
  void anIteratorThatCanBeClosedIsClosed() throws Exception {
    CompletableFuture<Integer> first = new CompletableFuture<>();
    CompletableFuture<?> done = peer().request("cursor").stream(int.class).forEach(first::complete);
    assertThat(first.get(60, SECONDS)).isEqualTo(1);
    done.cancel(true);
    assertThat(rows.closed.await(60, SECONDS)).isTrue();
  }

  @Test
  void anExceptionOfTheConsumerEndsTheStream() throws Exception {
    CompletableFuture<?> done = peer()
        .proxy(RemoteRows.class)
        .rows(Integer.MAX_VALUE)
        .forEach(r -> {
          throw new IllegalStateException("enough");
        });
    assertThatThrownBy(() -> done.get(60, SECONDS)).hasRootCauseMessage("enough");
    assertThat(rows.closed.await(60, SECONDS)).isTrue();
  }

  @Test
  void theEndOfTheConnectionCancelsThePublisherAndFailsTheSubscriber() throws Exception {
    Peer peer = peer();
    Probe<Row> probe = new Probe<>(Long.MAX_VALUE);
    peer.proxy(RemoteRows.class).news().subscribe(probe);
    awaitSubscriber(rows.news);
    peer.close(Duration.ZERO);
    assertThat(probe.failure()).isInstanceOf(DisconnectedException.class);
    while (rows.news.hasSubscribers()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void theEndOfTheServerFailsTheSubscriber() throws Exception {
    Server server = serve(Service.of(rows), options());
    Probe<Row> probe = new Probe<>(Long.MAX_VALUE);
    connect(server).proxy(RemoteRows.class).news().subscribe(probe);
    awaitSubscriber(rows.news);
    server.close(Duration.ZERO);
    assertThat(probe.failure()).isInstanceOf(DisconnectedException.class);
  }

  @Test
  void aQuietStreamOutlivesTheTimeOfHandlersAndCalls() throws Exception {
    Duration limit = Duration.ofHours(1);
    long later = Long.MAX_VALUE - 1; // than all limits
    BlockingQueue<Scheduler> serving = new LinkedBlockingQueue<>();
    Service service = Service.of(rows)
        .and(Service.builder()
            .method("never", call -> {
              serving.add(call.connection().scheduler());
              return new CompletableFuture<Integer>();
            })
            .build());
    Server server =
        serve(service, Options.builder().limits(l -> l.handlerTimeout(limit)).build());
    Peer peer = Repartee.connect(
        server.endpoint(), Options.builder().limits(l -> l.callTimeout(limit)).build());
    open.add(0, () -> peer.close(Duration.ZERO));
    Probe<Row> probe = new Probe<>(Long.MAX_VALUE);
    peer.proxy(RemoteRows.class).news().subscribe(probe);
    awaitSubscriber(rows.news);
    // Calls that began later take too long; the stream goes on.
    CallFuture<Integer> served = peer.callAsync("never", int.class);
    serving.poll(60, SECONDS).expire(later);
    assertThatThrownBy(served::await).hasMessageContaining("(-32004)");
    CallFuture<Integer> called = peer.callAsync("never", int.class);
    peer.caller().expire(later);
    assertThatThrownBy(called::await).isInstanceOf(CallTimeoutException.class);
    rows.news.submit(new Row(1, "late"));
    assertThat(probe.items.poll(60, SECONDS)).isEqualTo(new Row(1, "late"));
  }

  @Test
  void aCallerWithoutCreditIsToldSo() throws Exception {
    Options options =
        Options.builder().limits(l -> l.drainTimeout(Duration.ofMillis(50))).build();
    Peer peer = connect(serve(Service.of(rows), options));
    assertThatThrownBy(() -> peer.call("rows", Json.class, 3))
        .isInstanceOf(RpcException.class)
        .hasMessageContaining("'rows' is a stream of items, and no credit was granted");
    assertThat(rows.closed.await(60, SECONDS)).isTrue();
  }

  @Test
  void itemsForACallThatExpectsNoStreamFailItWithTheRemedy() throws Exception {
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    Peer peer = Peer.open(pair.client(), Service.NONE, Options.DEFAULT);
    Recorder server = Recorder.on(pair.server());
    CallFuture<int[]> list = peer.callAsync("numbers", int[].class, 3);
    CallFuture<Json> number = peer.callAsync("numbers", Json.class, 3);
    for (int id = 1; id <= 2; id++) {
      server.next();
      Recorder.send(server.channel, """
          {"jsonrpc":"2.0","method":"rpc.items","params":{"id":%d,"items":[7]}}""".formatted(id));
    }
    assertThatThrownBy(list::await)
        .isInstanceOf(JsonException.class)
        .hasMessage("the result of 'numbers' is a stream; declare RemoteStream<T> (or"
            + " Flow.Publisher<T>) as the result type, or call stream(T.class) of the request");
    Recorder.send(server.channel, """
        {"jsonrpc":"2.0","result":1,"id":2}""");
    assertThat(number.await()).hasToString("1");
  }

  @Test
  void anItemThatDoesNotFitEndsTheStream() throws Exception {
    Probe<Integer> probe = new Probe<>(Long.MAX_VALUE);
    peer().request("rows").args(100_000).stream(int.class).subscribe(probe);
    assertThat(probe.failure())
        .isInstanceOf(JsonException.class)
        .hasMessageContaining("an item of 'rows': expected an integer");
    assertThat(rows.closed.await(60, SECONDS)).isTrue();
  }

  @Test
  void aNotificationOpensNoStream() throws Exception {
    Peer peer = peer();
    peer.notify("rows", 5);
    assertThat(rows.closed.await(60, SECONDS)).isTrue();
    assertThat(rows.produced).hasValue(0);
  }

  @Test
  void aStreamInAnOrderedLaneHoldsBackNoOtherCall() throws Exception {
    Service service = Service.builder()
        .method("ordered", Lane.ORDERED, call -> rows.news)
        .method("ping", call -> "pong")
        .build();
    Peer peer = connect(serve(service, options()));
    CompletableFuture<?> done = peer.request("ordered").stream(Row.class).forEach(row -> {});
    awaitSubscriber(rows.news);
    assertThat(peer.call("ping", String.class)).isEqualTo("pong");
    done.cancel(true);
  }

  // ---------------------------------------------------------------- hostile peers

  @Test
  void creditThatIsNoPositiveIntegerEndsTheStream() throws Exception {
    Server server = serve(Service.of(rows), options());
    for (String n : List.of("0", "-1", "\"x\"", "1.5", "99999999999999999999")) {
      try (RawPeer raw = new RawPeer(server)) {
        raw.send("""
            {"jsonrpc":"2.0","id":1,"method":"news"}""");
        awaitSubscriber(rows.news);
        raw.credit(1, n);
        assertThat(RawPeer.at(raw.read(), "/error/code")).hasToString("-32602");
        assertThat(violations.poll(60, SECONDS)).contains("rpc.credit");
      }
      while (rows.news.hasSubscribers()) {
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void endlessCreditDoesNotFillTheMemory() throws Exception {
    try (RawPeer raw = new RawPeer(serve(Service.of(rows), options()))) {
      raw.send("""
          {"jsonrpc":"2.0","id":1,"method":"rows","params":[2000000000]}""");
      raw.credit(1, String.valueOf(Long.MAX_VALUE));
      raw.credit(1, String.valueOf(Long.MAX_VALUE));
      raw.items(1);
      // Nothing is read from here on: production stops when the socket and the queue are full.
      long before = -1;
      while (rows.produced.get() != before) {
        before = rows.produced.get();
        rows.closed.await(200, java.util.concurrent.TimeUnit.MILLISECONDS);
      }
      assertThat(MemoryBudget.ofAnswers().held()).isLessThan(8 << 20);
    }
    assertThat(rows.closed.await(60, SECONDS)).isTrue();
  }

  @Test
  void creditForUnknownCallsIsIgnored() throws Exception {
    try (RawPeer raw = new RawPeer(serve(Service.of(rows), options()))) {
      raw.credit(5, "1");
      raw.send("""
          {"jsonrpc":"2.0","method":"rpc.credit"}""");
      raw.send("""
          {"jsonrpc":"2.0","method":"rpc.credit","params":[]}""");
      raw.send("""
          {"jsonrpc":"2.0","id":1,"method":"plain"}""");
      raw.credit(1, "1");
      assertThat(raw.read().get("result")).hasToString("1");
      assertThat(violations).isEmpty();
    }
  }

  @Test
  void aServerThatIgnoresCreditLosesTheStream() throws Exception {
    try (ServerSocket listening = new ServerSocket(0)) {
      Peer peer = Repartee.connect("tcp://127.0.0.1:" + listening.getLocalPort(), options());
      open.add(0, () -> peer.close(Duration.ZERO));
      Probe<Integer> probe = new Probe<>();
      peer.request("flood").streaming(Streaming.DEFAULT.buffer(4)).stream(int.class)
          .subscribe(probe);
      try (RawPeer raw = new RawPeer(listening.accept())) {
        Json id = raw.read().get("id");
        assertThat(RawPeer.at(raw.read(), "/params/n")).hasToString("4");
        String items = """
            {"jsonrpc":"2.0","method":"rpc.items","params":{"id":%s,"items":""".formatted(id);
        raw.send(items + "[1,2,3,4]}}");
        raw.send(items + "[5]}}");
        assertThat(probe.failure())
            .isInstanceOf(ProtocolException.class)
            .hasMessageContaining("more items than were granted");
        assertThat(violations.poll(60, SECONDS)).contains("'flood'");
        assertThat(raw.read().get("method")).hasToString("\"rpc.cancel\"");
        raw.send(items + "[6]}}"); // late
        raw.send("""
            {"jsonrpc":"2.0","id":%s,"result":5}""".formatted(id));
      }
    }
  }

  @Test
  void itemsThatWereLostAreNoticed() throws Exception {
    try (ServerSocket listening = new ServerSocket(0)) {
      Peer peer = Repartee.connect("tcp://127.0.0.1:" + listening.getLocalPort(), options());
      open.add(0, () -> peer.close(Duration.ZERO));
      Probe<Integer> probe = new Probe<>();
      peer.request("some").stream(int.class).subscribe(probe);
      try (RawPeer raw = new RawPeer(listening.accept())) {
        Json id = raw.read().get("id");
        raw.send("""
            {"jsonrpc":"2.0","id":%s,"result":5}""".formatted(id));
        assertThat(probe.failure()).hasMessageContaining("had 5 items, but 0 arrived");
      }
    }
  }

  // ---------------------------------------------------------------- at creation

  @Test
  void aProxyNamesTheTypeThatItNeeds() throws Exception {
    Peer peer = peer();
    interface Wrong {
      Stream<Row> rows(int count);
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> peer.proxy(Wrong.class))
        .withMessageContaining("rows: the items come as a RemoteStream");
  }

  @Test
  void anAnnotationThatDoesNotFitIsRefused() {
    class NoStream {
      @Streamed
      public int one() {
        return 1;
      }
    }
    class Both {
      @Streamed(subscription = "a", unsubscribe = "b", partialResults = true)
      public Stream<Integer> both() {
        return Stream.of();
      }
    }
    class Half {
      @Streamed(subscription = "a")
      public Stream<Integer> half() {
        return Stream.of();
      }
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Service.of(new NoStream()))
        .withMessageContaining("one: @Streamed needs a result that is a stream");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Service.of(new Both()))
        .withMessageContaining("either a subscription or has partial results");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Service.of(new Half()))
        .withMessageContaining("a subscription needs two names");
  }

  @Test
  void aPublisherThatBreaksItsContractFailsTheCall() throws Exception {
    AtomicBoolean cancelled = new AtomicBoolean();
    Service service = Service.builder()
        .method(
            "eager",
            call -> (Flow.Publisher<Integer>) to -> to.onSubscribe(new Flow.Subscription() {
              @Override
              public void request(long n) {
                for (long i = 0; i <= n; i++) {
                  to.onNext(1);
                }
              }

              @Override
              public void cancel() {
                cancelled.set(true);
              }
            }))
        .method("refusing", call -> (Flow.Publisher<Integer>) to -> {
          throw new RpcException(5, "not today");
        })
        .build();
    Peer peer = connect(serve(service, options()));
    Probe<Integer> eager = new Probe<>(Long.MAX_VALUE);
    peer.request("eager").stream(int.class).subscribe(eager);
    assertThat(eager.failure()).hasMessageContaining("Internal error (-32603)");
    assertThat(cancelled).isTrue();
    Probe<Integer> refusing = new Probe<>();
    peer.request("refusing").stream(int.class).subscribe(refusing);
    assertThat(refusing.failure()).hasMessageContaining("not today");
  }

  @Test
  void aBlockedIteratorDoesNotDelayTheItemsBeforeIt() throws Exception {
    Semaphore next = new Semaphore(1);
    Service service = Service.builder()
        .method("slow", call -> new Iterator<Integer>() {
          private int count;

          @Override
          public boolean hasNext() {
            next.acquireUninterruptibly();
            return count < 3;
          }

          @Override
          public Integer next() {
            return count++;
          }
        })
        .build();
    Probe<Integer> probe = new Probe<>(Long.MAX_VALUE);
    connect(serve(service, options())).request("slow").stream(int.class).subscribe(probe);
    for (int i = 0; i < 3; i++) {
      assertThat(probe.items.poll(60, SECONDS)).isEqualTo(i);
      next.release();
    }
    assertThat(probe.end.get(60, SECONDS)).isTrue();
  }

  @Test
  void cancellingBeforeTheFirstSignalSendsNothing() throws Exception {
    Probe<Row> probe = new Probe<>() {
      @Override
      public void onSubscribe(Flow.Subscription subscription) {
        subscription.cancel();
      }
    };
    Peer peer = peer();
    peer.proxy(RemoteRows.class).rows(5).subscribe(probe);
    assertThat(peer.call("plain", int.class)).isEqualTo(1);
    assertThat(rows.produced).hasValue(0);
  }

  @Test
  void aCancelledStreamIsAnsweredAsACancelledCall() throws Exception {
    try (RawPeer raw = new RawPeer(serve(Service.of(rows), options()))) {
      raw.send("""
          {"jsonrpc":"2.0","id":1,"method":"news"}""");
      awaitSubscriber(rows.news);
      raw.send("""
          {"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":1}}""");
      assertThat(RawPeer.at(raw.read(), "/error/code")).hasToString("-32800");
    }
  }

  @Test
  void streamsCountAsRunningCalls() throws Exception {
    Peer peer = connect(
        serve(Service.of(rows), Options.builder().limits(l -> l.runningCalls(2)).build()));
    CompletableFuture<?> one = peer.proxy(RemoteRows.class).news().forEach(row -> {});
    CompletableFuture<?> two = peer.proxy(RemoteRows.class).news().forEach(row -> {});
    while (rows.news.getNumberOfSubscribers() < 2) {
      Thread.onSpinWait();
    }
    assertThatThrownBy(() -> peer.call("plain", int.class)).hasMessageContaining("runningCalls");
    one.cancel(true);
    two.cancel(true);
  }

  // ---------------------------------------------------------------- the two ends

  @Test
  void anErrorLeavesNoGapBetweenTheItemsBeforeIt() {
    Queue<Runnable> tasks = new ArrayDeque<>();
    List<Object> sent = new ArrayList<>();
    Outflow outflow = new Outflow(
        Streaming.DEFAULT.overflow(Overflow.CLOSE),
        new Outflow.Wire() {
          @Override
          public boolean hasRoom() {
            return true;
          }

          @Override
          public void send(Queue<Object> items) {
            sent.add(items.remove());
          }

          @Override
          public void end(Throwable failure, long count) {
            sent.add(failure.getMessage());
          }
        },
        tasks::add);
    outflow.open(subscriber -> subscriber.onSubscribe(new Flow.Subscription() {
      @Override
      public void request(long n) {}

      @Override
      public void cancel() {}
    }));
    tasks.remove().run(); // asks the publisher
    outflow.grant(2);
    List.of(1, 2, 3, 4).forEach(outflow::onNext);
    outflow.onError(new IllegalStateException("broken"));
    tasks.remove().run();
    assertThat(sent).containsExactly(1, 2, "broken");
  }

  @Test
  void theErrorOfARequestForNoItemFollowsOnSubscribe() {
    List<String> signals = new ArrayList<>();
    Flow.Subscriber<Integer> wrong = new Probe<>() {
      @Override
      public void onSubscribe(Flow.Subscription subscription) {
        subscription.request(0);
        signals.add("subscribed");
      }

      @Override
      public void onError(Throwable failure) {
        signals.add(failure.getMessage());
      }
    };
    Inflow.Wire none = new Inflow.Wire() {
      @Override
      public void grant(long items) {}

      @Override
      public void cancel() {}

      @Override
      public RuntimeException violation(String what) {
        return new IllegalStateException(what);
      }
    };
    Inflow<Integer> inflow = new Inflow<>(
        wrong,
        JsonTypes.standard().of(Integer.class),
        UnknownMembers.IGNORE,
        "m",
        Streaming.DEFAULT,
        Inflow.Control.CREDIT,
        none,
        Runnable::run);
    assertThat(inflow.begin()).isFalse();
    assertThat(signals)
        .containsExactly("subscribed", "a subscriber requests at least one item, not 0");
  }

  @Test
  void creditWaitsWhileTheOtherSideDoesNotRead() {
    List<Long> granted = new ArrayList<>();
    List<Runnable> waiting = new ArrayList<>();
    ReceivedStream.Source source = new ReceivedStream.Source() {
      @Override
      public String remote() {
        return "";
      }

      @Override
      public boolean isConnection() {
        return true;
      }

      @Override
      public void receives() {}

      @Override
      public boolean register(ReceivedStream.Key key, ReceivedStream<?> stream) {
        return true;
      }

      @Override
      public boolean unregister(ReceivedStream.Key key, ReceivedStream<?> stream) {
        return true;
      }

      @Override
      public boolean hasRoom(Runnable again) {
        waiting.add(again);
        return waiting.size() > 2;
      }

      @Override
      public void grant(long id, long items) {
        granted.add(items);
      }

      @Override
      public void violation(String what) {}
    };
    ReceivedStream<Integer> stream = new ReceivedStream<>(
        source,
        null,
        "m",
        Streaming.DEFAULT,
        JsonTypes.standard().of(Integer.class),
        UnknownMembers.IGNORE,
        new Probe<>());
    stream.grant(3);
    stream.grant(4);
    assertThat(granted).isEmpty();
    waiting.get(0).run();
    assertThat(granted).containsExactly(7L);
  }

  @Test
  void itemsBehindTheExcessAreNotRead() throws Exception {
    try (ServerSocket listening = new ServerSocket(0)) {
      Peer peer = Repartee.connect("tcp://127.0.0.1:" + listening.getLocalPort(), options());
      open.add(0, () -> peer.close(Duration.ZERO));
      Probe<Integer> probe = new Probe<>(Long.MAX_VALUE);
      peer.request("flood").streaming(Streaming.DEFAULT.buffer(4)).stream(int.class)
          .subscribe(probe);
      try (RawPeer raw = new RawPeer(listening.accept())) {
        Json id = raw.read().get("id");
        raw.read();
        raw.send("""
            {"jsonrpc":"2.0","method":"rpc.items","params":{"id":%s,"items":[1,2,3,4,5,6]}}\
            """.formatted(id));
        assertThat(probe.failure()).hasMessageContaining("more items than were granted");
        assertThat(probe.items).containsExactly(1, 2, 3, 4);
      }
    }
  }
}
