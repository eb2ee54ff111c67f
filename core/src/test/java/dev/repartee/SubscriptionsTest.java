package dev.repartee;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.json.Json;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.stream.LaggedException;
import dev.repartee.stream.Overflow;
import dev.repartee.stream.RemoteStream;
import dev.repartee.stream.Streamed;
import dev.repartee.stream.Streaming;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Subscriptions in the form of Ethereum. */
@Timeout(60)
class SubscriptionsTest {
  private static final Streaming ETH =
      Streaming.subscription("eth_subscription", "eth_unsubscribe");

  /** A node with news. */
  public static final class Node {
    final SubmissionPublisher<String> heads = new SubmissionPublisher<>();

    @Rpc("eth_subscribe")
    @Streamed(subscription = "eth_subscription", unsubscribe = "eth_unsubscribe")
    public Flow.Publisher<String> subscribe(String what) {
      if (!what.equals("newHeads")) {
        throw RpcException.invalidParams("no such subscription");
      }
      return heads;
    }

    @Rpc(value = "inline_subscribe", lane = Lane.INLINE)
    @Streamed(subscription = "eth_subscription", unsubscribe = "eth_unsubscribe")
    public Stream<Integer> numbers(int count) {
      return IntStream.range(0, count).boxed();
    }

    @Rpc("quiet_subscribe")
    @Streamed(subscription = "eth_subscription", unsubscribe = "eth_unsubscribe")
    public Flow.Publisher<String> quiet(String what) {
      return heads;
    }

    @Rpc("broken_subscribe")
    @Streamed(subscription = "eth_subscription", unsubscribe = "other_unsubscribe")
    public Stream<Integer> broken() {
      return Stream.of(1, 2).map(i -> {
        if (i == 2) {
          throw new RpcException(7, "broken", "why");
        }
        return i;
      });
    }
  }

  /** The node as a client sees it. */
  public interface RemoteNode {
    @Rpc("eth_subscribe")
    @Streamed(subscription = "eth_subscription", unsubscribe = "eth_unsubscribe")
    RemoteStream<String> subscribe(String what);
  }

  private final Node node = new Node();
  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    node.heads.close();
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  private Server serve(Options options) throws IOException {
    Server server = Repartee.listen("tcp://127.0.0.1:0", Service.of(node), options);
    open.add(() -> server.close(Duration.ZERO));
    return server;
  }

  private Peer connect(Server server) throws IOException {
    return connect(server.endpoint().toString());
  }

  private Peer connect(String uri) throws IOException {
    Peer peer = Repartee.connect(uri);
    open.add(0, () -> peer.close(Duration.ZERO));
    return peer;
  }

  private Peer peer() throws IOException {
    return connect(serve(Options.DEFAULT));
  }

  private static void awaitSubscribers(SubmissionPublisher<?> publisher, int count) {
    while (publisher.getNumberOfSubscribers() != count) {
      if (Thread.interrupted()) { // by the time-out of the test
        throw new AssertionError(publisher.getNumberOfSubscribers() + " subscribers");
      }
      Thread.onSpinWait();
    }
  }

  @Test
  void aProxySubscribesAndUnsubscribes() throws Exception {
    Peer peer = peer();
    Probe<String> probe = new Probe<>(Long.MAX_VALUE);
    peer.proxy(RemoteNode.class).subscribe("newHeads").subscribe(probe);
    awaitSubscribers(node.heads, 1);
    node.heads.submit("0x1");
    node.heads.submit("0x2");
    assertThat(probe.items.poll(60, SECONDS)).isEqualTo("0x1");
    assertThat(probe.items.poll(60, SECONDS)).isEqualTo("0x2");
    probe.subscribed.get().cancel();
    awaitSubscribers(node.heads, 0);
  }

  @Test
  void theAnswerComesBeforeTheFirstItem() throws Exception {
    try (RawPeer raw = new RawPeer(serve(Options.DEFAULT))) {
      Set<Json> ids = new HashSet<>();
      for (int i = 0; i < 100; i++) {
        raw.send("""
            {"jsonrpc":"2.0","id":1,"method":"inline_subscribe","params":[2]}""");
        Json answer = raw.read();
        Json id = answer.get("result");
        assertThat(id.as(String.class)).matches("0x[0-9a-f]{32}");
        assertThat(ids.add(id)).isTrue();
        for (int item = 0; item < 2; item++) {
          assertThat(raw.read()).hasToString("""
              {"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":%s,\
              "result":%s}}""".formatted(id, item));
        }
        assertThat(RawPeer.at(raw.read(), "/params/error/code")).hasToString("0");
      }
    }
  }

  @Test
  void unsubscribingAnswersWhetherThereWasASubscription() throws Exception {
    Peer peer = peer();
    String id = peer.call("eth_subscribe", String.class, "newHeads");
    assertThat(peer.call("eth_unsubscribe", boolean.class, "0x00")).isFalse();
    assertThat(peer.call("other_unsubscribe", boolean.class, id)).isFalse();
    assertThat(peer.call("eth_unsubscribe", boolean.class, id)).isTrue();
    assertThat(peer.call("eth_unsubscribe", boolean.class, id)).isFalse();
    awaitSubscribers(node.heads, 0);
    assertThatThrownBy(() -> peer.call("eth_unsubscribe", boolean.class))
        .hasMessageContaining("the only param is the id of the subscription");
  }

  @Test
  void aSubscriptionBelongsToItsConnection() throws Exception {
    Server server = serve(Options.DEFAULT);
    String id = connect(server).call("eth_subscribe", String.class, "newHeads");
    assertThat(connect(server).call("eth_unsubscribe", boolean.class, id)).isFalse();
    awaitSubscribers(node.heads, 1);
  }

  @Test
  void noItemIsLost() throws Exception {
    Peer peer = peer();
    for (int i = 0; i < 50; i++) {
      List<Integer> items = new ArrayList<>();
      peer.request("inline_subscribe").args(500).streaming(ETH).stream(int.class)
          .forEach(items::add)
          .get(60, SECONDS);
      assertThat(items).isEqualTo(IntStream.range(0, 500).boxed().toList());
    }
  }

  @Test
  void anErrorEndsTheSubscription() throws Exception {
    Probe<Integer> probe = new Probe<>(Long.MAX_VALUE);
    peer()
        .request("broken_subscribe")
        .streaming(Streaming.subscription("eth_subscription", "other_unsubscribe"))
        .stream(int.class)
        .subscribe(probe);
    assertThat(probe.failure())
        .isInstanceOf(RemoteRpcException.class)
        .hasMessageContaining("broken (7): why");
    assertThat(probe.items).containsExactly(1);
  }

  @Test
  void aRefusedSubscriptionFails() throws Exception {
    Probe<String> probe = new Probe<>();
    peer().proxy(RemoteNode.class).subscribe("nothing").subscribe(probe);
    assertThat(probe.failure()).hasMessageContaining("no such subscription");
  }

  @Test
  void theNumberOfSubscriptionsIsLimited() throws Exception {
    Peer peer = connect(
        serve(Options.builder().limits(limits -> limits.subscriptions(3)).build()));
    for (int i = 0; i < 3; i++) {
      peer.call("eth_subscribe", String.class, "newHeads");
    }
    assertThatThrownBy(() -> peer.call("eth_subscribe", String.class, "newHeads"))
        .hasMessageContaining("{\"limit\":\"subscriptions\",\"max\":3}");
    awaitSubscribers(node.heads, 3);
  }

  @Test
  void subscriptionsEndWithTheirConnection() throws Exception {
    Peer peer = peer();
    Probe<String> probe = new Probe<>();
    peer.proxy(RemoteNode.class).subscribe("newHeads").subscribe(probe);
    peer.call("eth_subscribe", String.class, "newHeads");
    awaitSubscribers(node.heads, 2);
    peer.close(Duration.ZERO);
    awaitSubscribers(node.heads, 0);
    assertThat(probe.failure()).isInstanceOf(DisconnectedException.class);
  }

  @Test
  void aSubscriptionDoesNotDelayTheEndOfItsServer() throws Exception {
    Server server = serve(Options.DEFAULT);
    connect(server).call("eth_subscribe", String.class, "newHeads");
    server.close(Duration.ofDays(1));
    awaitSubscribers(node.heads, 0);
  }

  @Test
  void aBatchOpensNoSubscription() throws Exception {
    try (RawPeer raw = new RawPeer(serve(Options.DEFAULT))) {
      raw.send("""
          [{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}]""");
      assertThat(raw.read()).asString().contains("-32601", "cannot be opened in a batch");
    }
  }

  @Test
  void withoutAConnectionThereIsNoSubscription() throws Exception {
    FrameResponder responder = FrameResponder.of(
        Service.of(node), Options.DEFAULT, new ChannelInfo("http", "", "message"));
    byte[] answer = responder.respond("""
        {"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}\
        """.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    assertThat(new String(answer, java.nio.charset.StandardCharsets.UTF_8))
        .contains("-32601", "needs a connection that carries notifications");
  }

  // ---------------------------------------------------------------- other servers

  private static String item(String id, String item) {
    return """
        {"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":%s,"result":%s}}\
        """.formatted(id, item);
  }

  @Test
  void unknownIdsAreIgnoredAndNumbersAreIds() throws Exception {
    try (ServerSocket listening = new ServerSocket(0)) {
      Peer peer = connect("tcp://127.0.0.1:" + listening.getLocalPort());
      Probe<String> probe = new Probe<>(Long.MAX_VALUE);
      peer.proxy(RemoteNode.class).subscribe("newHeads").subscribe(probe);
      try (RawPeer raw = new RawPeer(listening.accept())) {
        Json id = raw.read().get("id");
        raw.send("""
            {"jsonrpc":"2.0","id":%s,"result":17}
            %s
            %s
            %s""".formatted(id, item("17", "\"a\""), item("18", "\"b\""), item("17", "\"c\"")));
        assertThat(probe.items.poll(60, SECONDS)).isEqualTo("a");
        assertThat(probe.items.poll(60, SECONDS)).isEqualTo("c");
        probe.subscribed.get().cancel();
        Json unsubscribe = raw.read();
        assertThat(unsubscribe.get("method")).hasToString("\"eth_unsubscribe\"");
        assertThat(unsubscribe.get("params")).hasToString("[17]");
        raw.send(item("17", "\"late\""));
        raw.send("""
            {"jsonrpc":"2.0","id":%s,"result":true}""".formatted(unsubscribe.get("id")));
      }
    }
  }

  @Test
  void anIdOfMoreThanAKilobyteIsAViolation() throws Exception {
    try (ServerSocket listening = new ServerSocket(0)) {
      Peer peer = connect("tcp://127.0.0.1:" + listening.getLocalPort());
      Probe<String> probe = new Probe<>(Long.MAX_VALUE);
      peer.proxy(RemoteNode.class).subscribe("newHeads").subscribe(probe);
      try (RawPeer raw = new RawPeer(listening.accept())) {
        Json id = raw.read().get("id");
        raw.send("""
            {"jsonrpc":"2.0","id":%s,"result":"%s"}""".formatted(id, "x".repeat(2_000)));
        assertThat(probe.failure())
            .isInstanceOf(ProtocolException.class)
            .hasMessageEndingWith("is an id of 2002 bytes; a subscription may have one of 1024");
      }
    }
  }

  @Test
  void aSubscriptionThatIsCancelledBeforeItsAnswerIsEndedThen() throws Exception {
    try (ServerSocket listening = new ServerSocket(0)) {
      Peer peer = connect("tcp://127.0.0.1:" + listening.getLocalPort());
      CompletableFuture<?> done =
          peer.proxy(RemoteNode.class).subscribe("newHeads").forEach(item -> {});
      try (RawPeer raw = new RawPeer(listening.accept())) {
        Json id = raw.read().get("id");
        done.cancel(true);
        raw.send("""
            {"jsonrpc":"2.0","id":%s,"result":"0xab"}""".formatted(id));
        assertThat(raw.read().get("params")).hasToString("[\"0xab\"]");
      }
    }
  }

  @Test
  void aFloodEndsTheSubscriptionOrDropsItems() throws Exception {
    for (Overflow overflow : Overflow.values()) {
      try (ServerSocket listening = new ServerSocket(0)) {
        Peer peer = connect("tcp://127.0.0.1:" + listening.getLocalPort());
        Probe<Integer> probe = new Probe<>();
        peer.request("flood").streaming(ETH.overflow(overflow).buffer(4)).stream(int.class)
            .subscribe(probe);
        try (RawPeer raw = new RawPeer(listening.accept())) {
          StringBuilder all = new StringBuilder("""
              {"jsonrpc":"2.0","id":%s,"result":"x"}""".formatted(raw.read().get("id")));
          for (int i = 0; i < 10; i++) {
            all.append('\n').append(item("\"x\"", String.valueOf(i)));
          }
          raw.send(all.toString());
          if (overflow == Overflow.DROP_OLDEST) {
            raw.send("""
                {"jsonrpc":"2.0","method":"eth_subscription","params":{\
                "subscription":"x","error":{"code":0,"message":"over"}}}""");
            raw.send("""
                {"jsonrpc":"2.0","id":7,"method":"rpc.ping"}""");
            raw.read(); // the items have arrived
            probe.subscribed.get().request(Long.MAX_VALUE);
            assertThat(probe.end.get(60, SECONDS)).isTrue();
            assertThat(probe.items).containsExactly(6, 7, 8, 9);
          } else {
            assertThat(probe.failure()).isInstanceOf(LaggedException.class);
            assertThat(raw.read().get("method")).hasToString("\"eth_unsubscribe\"");
          }
        }
      }
    }
  }

  @Test
  void anErrorOfAnyFormEndsTheSubscription() throws Exception {
    try (ServerSocket listening = new ServerSocket(0)) {
      Peer peer = connect("tcp://127.0.0.1:" + listening.getLocalPort());
      Probe<String> probe = new Probe<>();
      peer.proxy(RemoteNode.class).subscribe("newHeads").subscribe(probe);
      try (RawPeer raw = new RawPeer(listening.accept())) {
        raw.send("""
            {"jsonrpc":"2.0","id":%s,"result":"x"}""".formatted(raw.read().get("id")));
        raw.send("""
            {"jsonrpc":"2.0","method":"eth_subscription","params":{\
            "subscription":"x","error":"gone"}}""");
        assertThat(probe.failure())
            .hasMessageContaining("The subscription has ended (-32603): gone");
      }
    }
  }

  @Test
  void aServiceThatTakesTheNotificationsIsNamed() throws Exception {
    Service own = Service.builder().method("eth_subscription", call -> null).build();
    Peer peer =
        Repartee.connect(serve(Options.DEFAULT).endpoint().toString(), own, Options.DEFAULT);
    open.add(0, () -> peer.close(Duration.ZERO));
    Probe<String> probe = new Probe<>();
    peer.proxy(RemoteNode.class).subscribe("newHeads").subscribe(probe);
    assertThat(probe.failure()).hasMessageContaining("has a method 'eth_subscription'");
  }

  @Test
  void theRequestOfAnOpenSubscriptionCountsAsHeldMemory() throws Exception {
    int size = 12 << 20;
    try (RawPeer raw = new RawPeer(serve(Options.DEFAULT))) {
      raw.send("""
          {"jsonrpc":"2.0","id":1,"method":"quiet_subscribe","params":["%s"]}\
          """.formatted("x".repeat(size)));
      Json id = raw.read().get("result");
      raw.send("""
          {"jsonrpc":"2.0","id":2,"method":"rpc.ping"}""");
      raw.read(); // the call is no longer in flight
      assertThat(MemoryBudget.ofProcess().held()).isGreaterThanOrEqualTo(size);
      raw.send("""
          {"jsonrpc":"2.0","id":3,"method":"eth_unsubscribe","params":[%s]}""".formatted(id));
      assertThat(raw.read().get("result")).isEqualTo(Json.TRUE);
      while (MemoryBudget.ofProcess().held() >= size) {
        Thread.onSpinWait();
      }
    }
  }
}
