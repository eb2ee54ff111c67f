package dev.repartee.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Call;
import dev.repartee.CallFuture;
import dev.repartee.Lane;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.RemoteRpcException;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import dev.repartee.message.RpcError;
import dev.repartee.stream.Streamed;
import dev.repartee.testkit.RawConnection;
import dev.repartee.testkit.ScriptedPeer;
import dev.repartee.testkit.fault.FaultProxy;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The subscriptions of clients that share a backend. */
@Timeout(60)
class SubscribersTest {
  /** The maximum number of subscriptions of one connection at the backend. */
  private static final int MOST = 16;

  /** A small limit for the calls that the backend runs at a time for one connection. */
  private static final int RUNNING = 4;

  private static final String SUBSCRIBE = """
      {"jsonrpc":"2.0","method":"subscribe","params":["x"],"id":%d}""";

  /** A description of the method "subscribe". */
  static final Json DOCUMENT = Json.parse("""
      {"methods":[{"name":"subscribe","x-stream":{"form":"subscription",\
      "notification":"item","unsubscribe":"unsubscribe"}}]}""");

  private final List<AutoCloseable> open = new ArrayList<>();

  /** The subscriptions at the backend, and the names of the ended ones. */
  private final BlockingQueue<Flow.Subscriber<? super String>> feeds = new LinkedBlockingQueue<>();

  private final BlockingQueue<String> ended = new LinkedBlockingQueue<>();

  private volatile CountDownLatch gate = new CountDownLatch(0);

  /** Completes when the backend may answer rpc.discover. */
  private CompletableFuture<Boolean> discovery = CompletableFuture.completedFuture(true);

  /** The time that messages wait for the answer to rpc.discover. */
  private Duration patience = Duration.ofMinutes(1);

  private final CountDownLatch watching = new CountDownLatch(1);

  /** The methods of the backend. */
  public final class Feeds {
    @Rpc
    @Streamed(subscription = "item", unsubscribe = "unsubscribe")
    public Flow.Publisher<String> subscribe(String name) throws InterruptedException {
      gate.await();
      return to -> to.onSubscribe(new Flow.Subscription() {
        private boolean requested;

        @Override
        public void request(long n) {
          if (!requested) {
            requested = true;
            feeds.add(to);
          }
        }

        @Override
        public void cancel() {
          ended.add(name);
        }
      });
    }

    @Rpc
    @Streamed(subscription = "item", unsubscribe = "unsubscribe")
    public Flow.Publisher<String> watch(Call call) throws InterruptedException {
      watching.countDown();
      try {
        call.cancellation().sleep(Duration.ofHours(1));
      } finally {
        ended.add("watch");
      }
      return to -> {};
    }

    @Rpc
    public String echo(String text) {
      return text;
    }

    @Rpc
    public String hash() {
      return "0x" + "0123456789abcdef".repeat(2);
    }
  }

  private String uri;

  /** The address for a client with another name than the clients at {@link #uri}. */
  private String other;

  @TempDir
  private Path directory;

  private <T extends AutoCloseable> T closing(T resource) {
    open.add(resource);
    return resource;
  }

  @AfterEach
  void close() throws Exception {
    gate.countDown();
    discovery.complete(true); // a server waits for its handlers when it closes
    Collections.reverse(open);
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  private void open(String listen) throws IOException {
    open(listen, Limits.DEFAULT.runningCalls());
  }

  private void open(String listen, int running) throws IOException {
    Options most = Options.builder()
        .limits(limits -> limits.subscriptions(MOST).runningCalls(running))
        .build();
    Options discovering = most.toBuilder()
        .layer((call, next) -> {
          Object result = next.handle(call);
          return call.method().equals("rpc.discover")
              ? discovery.thenApply(permitted -> result)
              : result;
        })
        .build();
    Server backend =
        closing(Repartee.listen("tcp://127.0.0.1:0", Service.of(new Feeds()), discovering));
    Bridge bridge = closing(Bridge.to(backend.endpoint().toString())
        .backendOptions(most)
        .patience(patience)
        .open());
    uri = bridge.listen(listen.replace("ws:", "http:")).endpoint().toString();
    uri = listen.startsWith("ws:") ? uri.replace("http:", "ws:") : uri;
    other = bridge.listen("unix:" + directory.resolve("s")).endpoint().toString();
  }

  private ScriptedPeer scripted() throws IOException {
    return scripted(uri);
  }

  private ScriptedPeer scripted(String uri) throws IOException {
    return closing(
        ScriptedPeer.on(Transport.open(Endpoint.parse(uri), Limits.DEFAULT, Headers.NONE)));
  }

  private static String id(String answer) {
    Json result = Json.parse(answer).get("result");
    assertThat(result).as(answer).isNotNull();
    return result.as(String.class);
  }

  private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
    T next = queue.poll(60, TimeUnit.SECONDS);
    assertThat(next).isNotNull();
    return next;
  }

  @Test
  void theSubscriptionsOfAClientEndWhenItLeaves() throws Exception {
    open("tcp://127.0.0.1:0");
    ScriptedPeer neighbour = scripted();
    String kept = id(neighbour.send(SUBSCRIBE.formatted(1)).receive());
    Flow.Subscriber<? super String> feed = next(feeds);
    for (int round = 0; round < 3; round++) {
      ScriptedPeer leaving = scripted();
      for (int i = 0; i < MOST / 3; i++) {
        id(leaving.send(SUBSCRIBE.formatted(i)).receive());
      }
      leaving.close();
      for (int i = 0; i < MOST / 3; i++) {
        assertThat(next(ended)).isEqualTo("x");
      }
    }
    feed.onNext("news");
    neighbour.expect("""
        {"jsonrpc":"2.0","method":"item","params":{"subscription":"%s","result":"news"}}\
        """.formatted(kept));
  }

  @Test
  void aClientThatLeavesBeforeTheAnswerLeavesNoSubscriptionBehind() throws Exception {
    open("ws://127.0.0.1:0/"); // its end cancels the calls immediately
    gate = new CountDownLatch(1);
    ScriptedPeer leaving = scripted();
    for (int i = 0; i < MOST / 2; i++) {
      leaving.send(SUBSCRIBE.formatted(i));
    }
    leaving.send("""
        {"jsonrpc":"2.0","method":"hash","id":99}""").receive();
    leaving.close();
    gate.countDown();
    ScriptedPeer neighbour = scripted();
    for (int i = 0; i < MOST / 2; i++) {
      next(ended);
    }
    id(neighbour.send(SUBSCRIBE.formatted(1)).receive());
  }

  @Test
  void aClientCannotTakeTheSubscriptionsOfItsNeighbours() throws Exception {
    open("tcp://127.0.0.1:0");
    ScriptedPeer hostile = scripted();
    for (ScriptedPeer connection : List.of(scripted(), scripted(), hostile)) {
      for (int i = 0; i < 2 * MOST; i++) {
        connection.send(SUBSCRIBE.formatted(i));
      }
      connection.send("""
          {"jsonrpc":"2.0","method":"hash","id":999}""");
      answer(connection, 999);
    }
    ScriptedPeer neighbour = scripted(other);
    int opened = 0;
    for (int i = 0; opened < 3; i++) { // subscriptions above the limit end meanwhile
      neighbour.send(SUBSCRIBE.formatted(i));
      opened += answer(neighbour, i).contains("result") ? 1 : 0;
    }
    String answer = "";
    for (int i = 0; !answer.contains("-32000"); i++) {
      assertThat(i).isLessThanOrEqualTo(MOST / 2);
      hostile.send(SUBSCRIBE.formatted(1_000 + i));
      answer = answer(hostile, 1_000 + i);
    }
    assertThat(answer).contains("\"subscriptions\"").contains("" + MOST / 2);
  }

  @Test
  void aClientThatKeepsTheBackendBusyGetsNothingOfItsNeighbours() throws Exception {
    open("tcp://127.0.0.1:0", RUNNING);
    gate = new CountDownLatch(1);
    ScriptedPeer hostile = scripted();
    for (int i = 0; i < RUNNING; i++) {
      hostile.send(SUBSCRIBE.formatted(i));
    }
    hostile.send("""
        {"jsonrpc":"2.0","method":"hash","id":99}""");
    assertThat(answer(hostile, 99)).contains("-32000"); // the backend is busy
    hostile.send("""
        {"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":0}}""");
    hostile.send("""
        {"jsonrpc":"2.0","method":"hash","id":100}""");
    assertThat(answer(hostile, 100)).contains("-32000"); // after rpc.discover, refused like it
    gate.countDown();

    ScriptedPeer neighbour = scripted();
    for (int i = 0; i < RUNNING; i++) {
      next(feeds);
    }
    String id = id(neighbour.send(SUBSCRIBE.formatted(1)).receive());
    next(feeds).onNext("secret");
    assertThat(neighbour.receive()).contains(id).contains("secret");
    String answer = "";
    String share = "\"max\":" + MOST / 2; // the bridge refuses more once it knows the methods
    for (int i = 200; !answer.contains(share); i++) {
      hostile.send(SUBSCRIBE.formatted(i));
      answer = answer(hostile, i);
      assertThat(answer).doesNotContain("secret");
    }
    hostile.send("""
        {"jsonrpc":"2.0","method":"unsubscribe","params":["%s"],"id":101}""".formatted(id));
    assertThat(answer(hostile, 101)).contains("false");
  }

  /** Returns the answer with an id; skips other answers and notifications. */
  private static String answer(ScriptedPeer peer, int id) throws InterruptedException {
    String answer = peer.receive();
    while (!answer.endsWith(",\"id\":" + id + "}")) {
      answer = peer.receive();
    }
    return answer;
  }

  @Test
  void theCallsThatSubscribeAreCancelledWhenTheirClientLeaves() throws Exception {
    open("ws://127.0.0.1:0/");
    try (Peer peer = Repartee.connect(uri)) {
      peer.request("subscribe").args("x").call(Json.class); // the bridge learns the methods
    }
    next(ended);
    ScriptedPeer leaving = scripted();
    leaving.send("""
        {"jsonrpc":"2.0","method":"watch","id":1}""");
    leaving.send("""
        {"jsonrpc":"2.0","method":"hash","id":2}""").receive();
    leaving.close();
    assertThat(next(ended)).isEqualTo("watch");
  }

  @Test
  void aSubscriptionEndsWithTheConnectionToTheBackend() throws Exception {
    Options most =
        Options.builder().limits(limits -> limits.subscriptions(MOST)).build();
    Server backend = closing(Repartee.listen("tcp://127.0.0.1:0", Service.of(new Feeds()), most));
    FaultProxy cable = closing(FaultProxy.to(backend.endpoint()));
    Bridge bridge =
        closing(Bridge.to(cable.endpoint().toString()).backendOptions(most).open());
    uri = bridge.listen("tcp://127.0.0.1:0").endpoint().toString();
    ScriptedPeer client = scripted();
    String share = "\"max\":" + MOST / 2; // the refusal of a bridge that knows the methods
    String answer = "";
    for (int i = 1; !answer.contains(share); i++) {
      client.send(SUBSCRIBE.formatted(i));
      answer = answer(client, i);
    }
    cable.reset();
    String end = client.receive();
    while (!end.contains("-32006")) {
      end = client.receive();
    }
    assertThat(end).contains("\"method\":\"item\"", "\"subscription\":\"0x");
  }

  @Test
  void anIdOfASubscriptionThatIsTooLongIsReportedAndNotKept() throws Exception {
    Service service = Service.builder()
        .others(Lane.CONCURRENT, call -> switch (call.method()) {
          case "rpc.discover" -> DOCUMENT;
          case "hash" -> new Feeds().hash();
          default -> "x".repeat(2_000);
        })
        .build();
    Options plain = Options.builder().builtins().build();
    Server backend = closing(Repartee.listen("tcp://127.0.0.1:0", service, plain));
    BlockingQueue<String> violations = new LinkedBlockingQueue<>();
    Options reporting = Options.builder()
        .listener(new Listener() {
          @Override
          public void violation(ChannelInfo channel, String violation) {
            violations.add(violation);
          }
        })
        .build();
    Bridge bridge = closing(
        Bridge.to(backend.endpoint().toString()).backendOptions(reporting).open());
    uri = bridge.listen("tcp://127.0.0.1:0").endpoint().toString();
    ScriptedPeer client = scripted();
    client.send("""
        {"jsonrpc":"2.0","method":"hash","id":1}""").receive();
    for (int i = 2; violations.isEmpty(); i++) { // until the bridge knows the methods
      client.send(SUBSCRIBE.formatted(i)).receive();
    }
    assertThat(next(violations)).contains("'subscribe' was not answered with the id");
  }

  @Test
  void anItemReachesOnlyTheClientOfItsSubscription() throws Exception {
    open("tcp://127.0.0.1:0");
    ScriptedPeer one = scripted();
    ScriptedPeer other = scripted();
    String id = id(one.send(SUBSCRIBE.formatted(1)).receive());
    Flow.Subscriber<? super String> feed = next(feeds);
    feed.onNext("secret");
    assertThat(one.receive()).contains(id).contains("secret");
    for (String params : forms(id)) {
      other.send("""
          {"jsonrpc":"2.0","method":"unsubscribe","params":%s,"id":2}""".formatted(params));
      other.expect("""
          {"jsonrpc":"2.0","result":false,"id":2}""");
    }
    feed.onNext("more");
    assertThat(one.receive()).contains(id).contains("more");
    one.send("""
        {"jsonrpc":"2.0","method":"unsubscribe","params":["%s"],"id":2}""".formatted(id));
    one.expect("""
        {"jsonrpc":"2.0","result":true,"id":2}""");
    assertThat(next(ended)).isEqualTo("x");
    other.send("""
        {"jsonrpc":"2.0","method":"hash","id":3}""");
    assertThat(other.receive()).contains("0x0123");
  }

  /** Returns the forms of the params that end a subscription. */
  private static List<String> forms(String id) {
    return List.of(
        "[\"" + id + "\"]",
        "[\"\\u0030" + id.substring(1) + "\"]",
        "{\"id\":\"" + id + "\"}",
        "{\"subscription\":\"" + id + "\"}");
  }

  @Test
  void everyFormOfTheCallThatEndsASubscriptionFreesItsPlace() throws Exception {
    open("tcp://127.0.0.1:0");
    ScriptedPeer client = scripted();
    for (int i = 0; i < MOST; i++) {
      String id = id(client.send(SUBSCRIBE.formatted(i)).receive());
      client.send("""
          {"jsonrpc":"2.0","method":"unsubscribe","params":%s,"id":99}\
          """.formatted(forms(id).get(i % 4)));
      client.expect("""
          {"jsonrpc":"2.0","result":true,"id":99}""");
    }
    client.send("""
        {"jsonrpc":"2.0","method":"unsubscribe","params":[],"id":99}""");
    assertThat(answer(client, 99)).contains("-32602");
  }

  @Test
  void aClientCannotEndTheSubscriptionOfAnotherBeforeTheMethodsAreKnown() throws Exception {
    discovery = new CompletableFuture<>();
    open("tcp://127.0.0.1:0");
    ScriptedPeer one = scripted();
    ScriptedPeer other = scripted();
    String id = id(one.send(SUBSCRIBE.formatted(1)).receive());
    other.send(unsubscribe(id, ",\"id\":2"));
    other.send("""
        {"jsonrpc":"2.0","method":"hash","id":3}""");
    assertThat(other.receive()).contains("0x0123");
    discovery.complete(true);
    other.expect("""
        {"jsonrpc":"2.0","result":false,"id":2}""");
    next(feeds).onNext("more");
    assertThat(one.receive()).contains(id).contains("more");
  }

  @Test
  void aClientCannotTakeTheAnswersThatAreNotedOfItsNeighbours() throws Exception {
    discovery = new CompletableFuture<>();
    open("ws://127.0.0.1:0/");
    ScriptedPeer hostile = scripted();
    takeItsShareOfTheNotes(hostile);
    hostile.send(SUBSCRIBE.formatted(2)); // its answer exceeds the limit, and waits
    next(feeds);
    ScriptedPeer neighbour = scripted(other);
    String id = id(neighbour.send(SUBSCRIBE.formatted(1)).receive());
    Flow.Subscriber<? super String> feed = next(feeds);
    hostile.close();
    discovery.complete(true);
    assertThat(next(ended)).isEqualTo("x"); // the subscription of the client that has disconnected
    feed.onNext("news");
    assertThat(neighbour.receive()).contains(id).contains("news");
  }

  private static void takeItsShareOfTheNotes(ScriptedPeer client) throws InterruptedException {
    for (int i = 0; i < Subscribers.NOTED / 2; i++) {
      client.send("""
          {"jsonrpc":"2.0","method":"echo","params":["0x%032x"],"id":1}""".formatted(i));
      if (i % 100 == 99) {
        for (int j = 0; j < 100; j++) {
          client.receive();
        }
      }
    }
    for (int i = 0; i < Subscribers.NOTED / 2 % 100; i++) {
      client.receive();
    }
  }

  @Test
  void noMessageWaitsForEverForTheMethodsOfABackend() throws Exception {
    discovery = new CompletableFuture<>();
    patience = Duration.ofMillis(1);
    open("tcp://127.0.0.1:0");
    ScriptedPeer client = scripted();
    client.send("""
        [{"jsonrpc":"2.0","method":"hash","id":1}]""");
    String answer = client.receive();
    assertThat(answer).startsWith("[").contains("\"result\":\"0x0123");
    ScriptedPeer neighbour = scripted();
    neighbour.send("""
        {"jsonrpc":"2.0","method":"echo","params":["%s"],"id":2}""".formatted(new Feeds().hash()));
    neighbour.expect("""
        {"jsonrpc":"2.0","result":"%s","id":2}""".formatted(new Feeds().hash()));
    neighbour.send("""
        {"jsonrpc":"2.0","method":"watch","id":3}""");
    assertThat(watching.await(60, TimeUnit.SECONDS)).isTrue();
    neighbour.send("""
        {"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":3}}""");
    assertThat(next(ended)).isEqualTo("watch");
  }

  @Test
  void whatIsNotedIsJudgedLaterAlthoughMessagesNoLongerWait() throws Exception {
    discovery = new CompletableFuture<>();
    patience = Duration.ofMillis(1);
    open("tcp://127.0.0.1:0");
    ScriptedPeer client = scripted();
    String kept = id(client.send(SUBSCRIBE.formatted(1)).receive());
    Flow.Subscriber<? super String> feed = next(feeds);
    ScriptedPeer other = scripted();
    other.send("[" + SUBSCRIBE.formatted(2) + "]");
    String batch = other.receive();
    String id = id(batch.substring(1, batch.length() - 1));
    next(feeds).onNext("of a batch");
    feed.onNext("first");
    assertThat(client.receive()).contains(kept, "first");
    discovery.complete(true);
    assertThat(other.receive()).contains("\"method\":\"item\"", id, "-32000");
    assertThat(next(ended)).isEqualTo("x");
    other.send(unsubscribe(kept, ",\"id\":3"));
    other.expect("""
        {"jsonrpc":"2.0","result":false,"id":3}""");
    feed.onNext("second");
    assertThat(client.receive()).contains(kept, "second");
  }

  @Test
  void aSubscriptionThatWasNotNotedEndsWithTheConnectionOnceTheMethodsAreKnown() throws Exception {
    discovery = new CompletableFuture<>();
    patience = Duration.ofMillis(1);
    open("ws://127.0.0.1:0/");
    ScriptedPeer neighbour = scripted(other);
    String id = id(neighbour.send(SUBSCRIBE.formatted(1)).receive());
    ScriptedPeer hostile = scripted();
    takeItsShareOfTheNotes(hostile);
    id(hostile.send(SUBSCRIBE.formatted(2)).receive());
    discovery.complete(true);
    assertThat(neighbour.receive()).contains("\"method\":\"item\"", id, "-32006");
    assertThat(next(ended)).isEqualTo("x");
    assertThat(next(ended)).isEqualTo("x");
  }

  @Test
  void theAnswerToACallThatWasCancelledBeforeTheMethodsAreKnownEndsItsSubscription()
      throws Exception {
    try (ServerSocket daemon = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Bridge bridge = Bridge.to("tcp://127.0.0.1:" + daemon.getLocalPort() + "#framing=lines")
            .patience(Duration.ofMillis(1))
            .open();
        ScriptedPeer client =
            scripted(bridge.listen("tcp://127.0.0.1:0").endpoint().toString());
        RawConnection backend = new RawConnection(daemon.accept())) {
      client.send(SUBSCRIBE.formatted(1));
      Json call = Json.parse(backend.line());
      client.send("""
          {"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":1}}""");
      assertThat(client.receive()).contains("-32800");
      Json question = Json.parse(backend.line());
      assertThat(question.get("method")).isEqualTo(Json.of("rpc.discover"));
      assertThat(backend.line()).contains("rpc.cancel");
      answer(backend, call, Json.of(new Feeds().hash()));
      answer(backend, question, DOCUMENT);
      assertThat(backend.line()).contains("unsubscribe", new Feeds().hash());
    }
  }

  private static void answer(RawConnection backend, Json call, Json result) throws IOException {
    backend.send("""
        {"jsonrpc":"2.0","result":%s,"id":%s}
        """.formatted(result, call.get("id")));
  }

  @Test
  void noFormOfAMessageEndsTheSubscriptionOfAnotherClient() throws Exception {
    open("tcp://127.0.0.1:0");
    ScriptedPeer one = scripted();
    ScriptedPeer other = scripted();
    String id = id(one.send(SUBSCRIBE.formatted(1)).receive());
    other.send(unsubscribe(id, ",\"id\":2"));
    other.expect("""
        {"jsonrpc":"2.0","result":false,"id":2}"""); // the methods are known
    other.send(unsubscribe(id, ""));
    other.send(unsubscribe(id, ",\"id\":4")
        .replace('[', '{')
        .replace(']', '}')
        .replace("{\"0x", "{\"id\":\"0x"));
    other.expect("""
        {"jsonrpc":"2.0","result":false,"id":4}""");
    other.send(unsubscribe("\\u0030" + id.substring(1), ",\"id\":5")); // the same text as JSON
    other.expect("""
        {"jsonrpc":"2.0","result":false,"id":5}""");
    other.send("""
        {"jsonrpc":"2.0","method":"hash","id":3}""");
    assertThat(other.receive()).contains("0x0123");
    next(feeds).onNext("more");
    assertThat(one.receive()).contains(id).contains("more");
    one.send(unsubscribe(id, ""));
    assertThat(next(ended)).isEqualTo("x");
  }

  private static String unsubscribe(String id, String more) {
    return """
        {"jsonrpc":"2.0","method":"unsubscribe","params":["%s"]%s}""".formatted(id, more);
  }

  @Test
  void theEndOfASubscriptionFreesItsPlace() throws Exception {
    open("tcp://127.0.0.1:0");
    ScriptedPeer client = scripted();
    for (int i = 0; i < 2 * MOST; i++) {
      String id = id(client.send(SUBSCRIBE.formatted(i)).receive());
      next(feeds).onComplete();
      assertThat(client.receive()).contains(id).contains("\"code\":0");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSubscriptionWithoutAConnectionIsRefused(boolean known) throws Exception {
    open("http://127.0.0.1:0/");
    if (known) {
      try (Peer peer = Repartee.connect(uri.replace("http:", "ws:"))) {
        peer.request("subscribe").args("x").call(Json.class);
      }
      next(ended);
    }
    Peer http = closing(Repartee.connect(uri));
    CallFuture<Json> call = http.request("subscribe").args("x").send(Json.class);
    assertThat(call.handle((id, failure) -> failure instanceof RemoteRpcException refused
                ? refused.code()
                : RpcError.INVALID_REQUEST)
            .get(60, TimeUnit.SECONDS))
        .isEqualTo(RpcError.INVALID_REQUEST);
    if (!known) {
      assertThat(next(ended)).isEqualTo("x");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSubscriptionInABatchIsRefusedAndItsItemsAreDropped(boolean known) throws Exception {
    discovery = new CompletableFuture<>();
    open("tcp://127.0.0.1:0");
    ScriptedPeer client = scripted();
    if (known) {
      String id = id(scripted().send(SUBSCRIBE.formatted(1)).receive());
      discovery.complete(true);
      client.send(unsubscribe(id, ",\"id\":2"));
      client.expect("""
          {"jsonrpc":"2.0","result":false,"id":2}"""); // waits for the methods
    }
    client.send("""
        [%s,{"jsonrpc":"2.0","method":"hash","id":4}]""".formatted(SUBSCRIBE.formatted(3)));
    if (!known) {
      next(feeds).onNext("early");
      discovery.complete(true);
      assertThat(next(ended)).isEqualTo("x");
    }
    String answer = client.receive();
    assertThat(answer).startsWith("[").contains("-32600", "in a batch", "\"result\":\"0x0123");
  }
}
